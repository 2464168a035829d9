import { type PackageName, packageNames } from "../../../proto/rpcs.ts";
import { loadCases } from "../../../suites/cases.ts";
import { planInstances } from "../../case/plan.ts";
import { credentialsOf } from "../../target/keys.ts";
import { checkTarget, readTargetFile, UsageError } from "../../target/load.ts";
import type { TargetSettings } from "../../target/schema.ts";
import { createTarget } from "../../target/target.ts";
import { CommandFailure, exits } from "../exit.ts";
import { output } from "../output.ts";
import { checkReachable } from "../preflight.ts";
import { createProgress, wantsColour } from "../progress.ts";
import { rehearse } from "../rehearsal.ts";
import { outputColumns } from "../width.ts";
import { diagnose } from "./diagnosis.ts";
import { diagnosisText } from "./text.ts";

/** Flags of `hallmark doctor`. */
export interface DoctorFlags {
  readonly offline?: boolean;
  readonly json?: boolean;
}

/** The first half of a diagnosis: whether the target answers. */
async function reach(settings: TargetSettings): Promise<CommandFailure | undefined> {
  try {
    await checkReachable(createTarget(settings));
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

/**
 * Says what a target file lets the suite exercise, and what each missing key would add. But for one request to each
 * base URL, nothing is sent to the target: the embedded references stand in.
 */
export async function doctor(file: string, { offline = false, json = false }: DoctorFlags): Promise<number> {
  const settings = checkTarget(readTargetFile(file), file);
  output.guard(credentialsOf(settings));
  const target = createTarget(settings);
  const unreachable = offline ? undefined : await reach(settings);
  const { results } = await rehearse({
    order: { target: settings, seed: 1, runs: 1, selection: { only: [], services: [] }, limits: {} },
    progress: createProgress({ quiet: json, colour: wantsColour() }),
  });
  const cases = await loadCases();
  const missing = packageNames.filter((name) => !target.packages.includes(name));
  const countOf = (name: PackageName) => planInstances(cases, [name]).length;
  const diagnosis = diagnose(
    results,
    missing.map((name) => [name, countOf(name)]),
  );
  if (json) output.print(`${JSON.stringify(diagnosis, undefined, 2)}\n`);
  else
    output.print(
      `${diagnosisText({ file, settings, offline, unreachable: unreachable?.message }, diagnosis, outputColumns())}\n`,
    );
  const failed = diagnosis.failed[0];
  if (failed !== undefined) throw new UsageError(`The rehearsal itself went wrong: ${failed}; please report it.`);
  return unreachable === undefined ? exits.held : unreachable.exit;
}
