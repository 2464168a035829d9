import { existsSync } from "node:fs";
import { stringify } from "yaml";
import { baselineText } from "../../reports/baseline.ts";
import { failureOf } from "../../reports/compare.ts";
import { exitCode, isIncomplete } from "../../reports/rollup.ts";
import { count } from "../../reports/words.ts";
import type { Case } from "../case/case.ts";
import type { CaseResult, Results } from "../case/result.ts";
import { type Baseline, checkBaseline, readBaseline } from "../gates/baseline.ts";
import { gateResults, passes, renewBaseline } from "../gates/baseline-gate.ts";
import { checkProfile, type Profile, profileOf, readProfile } from "../gates/profile.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { writeText } from "./write-text.ts";

/** Flags that hold a run against what is known of its target. */
export interface GateFlags {
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly link?: string;
  readonly expires?: string;
  readonly profile?: string;
  readonly updateProfile?: boolean;
  readonly strict?: boolean;
  readonly requireComplete?: boolean;
}

/** What a run is held against, read before it begins. */
export interface Gates {
  /** The exit code of the results, with lines that say why. */
  judge(results: Results): { readonly exit: number; readonly lines: readonly string[] };
}

/** Why a case fails, as a baseline pins it. */
export const reasonOf = (result: CaseResult) => failureOf(result).join("; ");

/** Reads baseline and profile. @throws UsageError on flags and files that cannot be used, before anything is sent */
export function openGates(flags: GateFlags, cases: readonly Case[], narrowed: boolean): Gates {
  const baseline = openBaseline(flags, cases, narrowed);
  const profile = openProfile(flags, narrowed);
  return {
    judge(results) {
      const parts = [judgeBaseline(results, flags, baseline), judgeProfile(results, flags, profile)];
      return { exit: Math.max(...parts.map(({ exit }) => exit)), lines: parts.flatMap(({ lines }) => lines) };
    },
  };
}

function openBaseline(flags: GateFlags, cases: readonly Case[], narrowed: boolean): Baseline | undefined {
  const { baseline: file, updateBaseline = false, link, expires } = flags;
  if (file === undefined) {
    if (updateBaseline) throw new UsageError("--update-baseline needs --baseline FILE, the file to write.");
    return undefined;
  }
  if (!updateBaseline) {
    const baseline = readBaseline(file);
    checkBaseline(baseline, cases, file);
    return baseline;
  }
  if (narrowed)
    throw new UsageError("--update-baseline is refused on a partial run: it would forget what was left out.");
  if (link === undefined || expires === undefined) {
    throw new UsageError("--update-baseline needs --link URL and --expires DAY for the failures that are new.");
  }
  if (!/^https?:\/\/\S+$/.test(link))
    throw new UsageError(`--link ${link} is no URL; say where the failures are tracked.`);
  if (!/^\d{4}-\d\d-\d\d$/.test(expires) || Number.isNaN(Date.parse(expires))) {
    throw new UsageError(`--expires ${expires} is no day; write it as YYYY-MM-DD.`);
  }
  return existsSync(file) ? readBaseline(file) : { format: "hallmark-baseline/1", known: [] };
}

function openProfile({ profile: file, updateProfile = false }: GateFlags, narrowed: boolean): Profile | undefined {
  if (file === undefined) {
    if (updateProfile) throw new UsageError("--update-profile needs --profile FILE, the file to write.");
    return undefined;
  }
  if (!updateProfile) return readProfile(file);
  if (narrowed)
    throw new UsageError("--update-profile is refused on a partial run: it would forget what was left out.");
  return { format: "hallmark-profile/1", pinned: [] };
}

const today = () => new Date().toISOString().slice(0, 10);

function judgeBaseline(results: Results, flags: GateFlags, baseline: Baseline | undefined) {
  const { baseline: file = "", updateBaseline = false, link = "", expires = "" } = flags;
  if (baseline === undefined) return { exit: exitCode(results, flags), lines: [] };
  const options = { today: today(), reasonOf };
  if (updateBaseline) {
    if (!results.complete || results.summary.error > 0) {
      return { exit: failed(results), lines: ["The baseline is left as it is: the run did not come to its end."] };
    }
    const renewed = renewBaseline(results, baseline, { link, expires }, options);
    writeText("--baseline", file, stringify(renewed, { lineWidth: 0 }));
    return { exit: exits.held, lines: [`Wrote ${file}: ${count(renewed.known.length, "known failure")}.`] };
  }
  const gate = gateResults(results, baseline, options);
  const lineOf = ({ result: { id, rpc }, reason }: (typeof gate.known)[number]) => ({ id, rpc, reason });
  const faulty = gate.faulty.map(({ entry, why }) => ({ id: entry.case, rpc: entry.rpc, why }));
  const view = { file, known: gate.known.map(lineOf), fresh: gate.fresh.map(lineOf), faulty };
  return {
    exit: passes(gate) ? exitWithout(results, gate.known.length, flags) : failed(results),
    lines: [baselineText(view)],
  };
}

/** Hallmark's own error stays one whatever the baseline says. */
function failed({ summary }: Results): number {
  return summary.error > 0 ? exits.defect : exits.violated;
}

/** The exit code once known failures are let pass; whatever else fails a run still does. */
function exitWithout(results: Results, known: number, { strict = false, requireComplete = false }: GateFlags): number {
  const { summary } = results;
  if (summary.held === 0 && known === 0) return exits.violated;
  if (requireComplete && isIncomplete(results)) return exits.violated;
  return strict && summary.warnings > 0 ? exits.violated : exits.held;
}

function judgeProfile(
  results: Results,
  { profile: file = "", updateProfile = false }: GateFlags,
  profile: Profile | undefined,
) {
  if (profile === undefined) return { exit: exits.held, lines: [] };
  if (updateProfile) {
    if (!results.complete) {
      return { exit: exits.violated, lines: ["The profile is left as it is: the run did not come to its end."] };
    }
    const made = profileOf(results);
    writeText("--profile", file, stringify(made, { lineWidth: 0 }));
    return { exit: exits.held, lines: [`Wrote ${file}: ${count(made.pinned.length, "pinned choice")}.`] };
  }
  const { drifted, unseen, unpinned } = checkProfile(results, profile);
  const drifts = drifted.map(
    ({ clause, rpc, values, seen }) =>
      `  ✗ ${clause} at ${rpc}\n    pinned: ${values.join(" | ")}\n    seen:   ${seen.join(" | ")}`,
  );
  const sign = drifted.length === 0 ? "✓" : "✗";
  const counts = `${count(drifted.length, "drift")}, ${unseen.length} not seen in this run, ${unpinned.length} not pinned`;
  return {
    exit: drifted.length === 0 ? exits.held : exits.violated,
    lines: [
      ...(drifts.length === 0 ? [] : ["Drifted from the profile", ...drifts]),
      `${sign} Profile ${file}: ${counts}`,
    ],
  };
}
