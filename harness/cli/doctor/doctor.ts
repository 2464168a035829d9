import { type PackageName, packageNames } from "../../../proto/rpcs.ts";
import { loadCases } from "../../../suites/cases.ts";
import { planInstances } from "../../case/plan.ts";
import { credentialsOf } from "../../target/keys.ts";
import { checkTarget, readTargetFile, UsageError } from "../../target/load.ts";
import type { TargetSettings } from "../../target/schema.ts";
import { createTarget } from "../../target/target.ts";
import { defaultTarget } from "../choose-target.ts";
import { CommandFailure, exits } from "../exit.ts";
import { output } from "../output.ts";
import { checkReachable } from "../preflight.ts";
import { createProgress, wantsColour } from "../progress.ts";
import { rehearse } from "../rehearsal.ts";
import { outputColumns } from "../width.ts";
import { diagnose } from "./diagnosis.ts";
import { planOf } from "./plan.ts";
import { diagnosisText, type Patient, planText } from "./text.ts";

/** Flags of `hallmark doctor`. */
export interface DoctorFlags {
  /** Puts the suite to the embedded references, and counts what each missing key would add. */
  readonly rehearse?: boolean;
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
 * Says what a target file lets the suite exercise, and which keys it lacks; rehearsed, how many cases each would add. But
 * for one request to each base URL nothing is sent to the target: in a rehearsal the embedded references stand in.
 */
export async function doctor(given: string | undefined, flags: DoctorFlags): Promise<number> {
  const { offline = false, json = false, rehearse: rehearsed = false } = flags;
  const file = given ?? defaultTarget({});
  if (file === undefined)
    throw new UsageError("There is no target.yaml here; give a target file, or write one: hallmark init.");
  const written = readTargetFile(file);
  const settings = checkTarget(written, file);
  output.guard(credentialsOf(settings));
  const unreachable = offline ? undefined : await reach(settings);
  const patient = { file, settings, offline, unreachable: unreachable?.message };
  if (rehearsed) await diagnoseByRehearsal(settings, patient, json);
  else {
    const plan = planOf(settings, written, await loadCases());
    output.print(json ? `${JSON.stringify(plan, undefined, 2)}\n` : `${planText(patient, plan, outputColumns())}\n`);
  }
  return unreachable === undefined ? exits.held : unreachable.exit;
}

async function diagnoseByRehearsal(settings: TargetSettings, patient: Patient, json: boolean): Promise<void> {
  const target = createTarget(settings);
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
  else output.print(`${diagnosisText(patient, diagnosis, outputColumns())}\n`);
  const failed = diagnosis.failed[0];
  if (failed !== undefined) throw new UsageError(`The rehearsal itself went wrong: ${failed}; please report it.`);
}
