import type { CaseResult, Outcome, Results, Verdict } from "../harness/case/result.ts";
import { byText } from "./order.ts";
import { requirementWords } from "./words.ts";

/** One case on one RPC, before and after; undefined where a run did not have it. */
export interface Change {
  readonly id: string;
  readonly rpc: string;
  readonly before: CaseResult | undefined;
  readonly after: CaseResult | undefined;
}

/** How an RPC's verdict changed. */
export interface VerdictChange {
  readonly rpc: string;
  readonly before: Verdict | undefined;
  readonly after: Verdict | undefined;
}

/** What changed between two runs. */
export interface Comparison {
  /** Cases that fail and did not. */
  readonly newlyFailing: readonly Change[];
  /** Cases that fail as before, but for something more or something else. */
  readonly failingOtherwise: readonly Change[];
  readonly fixed: readonly Change[];
  /** Cases that said something and now do not: not exercised, or not in the second run at all. */
  readonly newlyUntested: readonly Change[];
  readonly newlyTested: readonly Change[];
  /** Cases that take much longer, the worst first. */
  readonly slower: readonly Change[];
  readonly verdicts: readonly VerdictChange[];
  /** Observations of open points: `clause at rpc: value`. */
  readonly gainedObservations: readonly string[];
  readonly lostObservations: readonly string[];
  /** In what the runs themselves differ, so that a change may not be the server's. */
  readonly differences: readonly string[];
}

/** How much longer a case must take to be named. */
export interface Slowness {
  /** After divided by before. */
  readonly factor: number;
  /** Milliseconds more. */
  readonly leastMs: number;
}

export const usualSlowness: Slowness = { factor: 2, leastMs: 500 };

const failing: readonly (Outcome | undefined)[] = ["violated", "unproven", "error"];

/** Why a case fails, in a form that stays the same from run to run: the clauses broken, and where. */
export function failureOf({ outcome, findings, reason }: CaseResult): readonly string[] {
  if (outcome === "violated") {
    const gating = findings.filter(({ level }) => level === "must" || level === "protocol");
    return [
      ...new Set(
        gating.map(({ clause, rpc, at }) => `${clause} at ${rpc}${at === undefined ? "" : ` ${placeOf(at)}`}`),
      ),
    ].sort();
  }
  return [`${outcome}: ${steady(reason ?? "")}`];
}

/** A field of a list is the same place in every element. */
function placeOf(at: string): string {
  return at.replaceAll(/\[\d+\]/g, "[]");
}

/** A sentence without what is another value in every run: ids, times, quoted values, numbers. */
export function steady(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "…")
    .replaceAll(/hallmark-[a-z0-9-]+/g, "…")
    .replaceAll(/\{.*\}/gs, "…")
    .replaceAll(/\b\d+\b/g, "…");
}

function fails(result: CaseResult | undefined): boolean {
  return failing.includes(result?.outcome);
}

function says(result: CaseResult | undefined): boolean {
  return result !== undefined && result.outcome !== "not-exercised";
}

function failsForMore({ before, after }: Change): boolean {
  if (before === undefined || after === undefined || !fails(before) || !fails(after)) return false;
  const known = new Set(failureOf(before));
  return failureOf(after).some((one) => !known.has(one));
}

function isSlower({ before, after }: Change, { factor, leastMs }: Slowness): boolean {
  if (before?.outcome !== "held" || after?.outcome !== "held") return false;
  return after.durationMs >= before.durationMs * factor && after.durationMs - before.durationMs >= leastMs;
}

/** Compares two runs case by case. */
export function compareResults(before: Results, after: Results, slowness: Slowness = usualSlowness): Comparison {
  const changes = changesOf(before, after);
  // A narrowed run leaves cases out on purpose: that says nothing about them.
  const narrowed = after.selection.length > 0;
  const excess = ({ before: was, after: is }: Change) => (is?.durationMs ?? 0) - (was?.durationMs ?? 0);
  const seen = (results: Results) =>
    new Set(results.observations.map(({ clause, rpc, value }) => `${clause} at ${rpc}: ${value}`));
  const [observedBefore, observedAfter] = [seen(before), seen(after)];
  return {
    newlyFailing: changes.filter((one) => fails(one.after) && !fails(one.before)),
    failingOtherwise: changes.filter(failsForMore),
    fixed: changes.filter((one) => fails(one.before) && one.after?.outcome === "held"),
    newlyUntested: changes.filter(
      (one) => says(one.before) && !says(one.after) && !(narrowed && one.after === undefined),
    ),
    newlyTested: changes.filter((one) => !says(one.before) && one.after?.outcome === "held"),
    slower: changes.filter((one) => isSlower(one, slowness)).toSorted((a, b) => excess(b) - excess(a)),
    verdicts: verdictChanges(before, after, narrowed),
    gainedObservations: [...observedAfter.difference(observedBefore)].sort(),
    lostObservations: narrowed ? [] : [...observedBefore.difference(observedAfter)].sort(),
    differences: differencesOf(before, after),
  };
}

function changesOf(before: Results, after: Results): readonly Change[] {
  const keyOf = ({ id, rpc }: CaseResult) => `${rpc} ${id}`;
  const was = new Map(before.cases.map((result) => [keyOf(result), result]));
  const is = new Map(after.cases.map((result) => [keyOf(result), result]));
  return [...new Set([...was.keys(), ...is.keys()])].sort(byText).map((key) => {
    const [rpc = "", id = ""] = key.split(" ");
    return { id, rpc, before: was.get(key), after: is.get(key) };
  });
}

function verdictChanges(before: Results, after: Results, narrowed: boolean): VerdictChange[] {
  const was = new Map(before.rpcs.map(({ rpc, verdict }) => [rpc, verdict]));
  const is = new Map(after.rpcs.map(({ rpc, verdict }) => [rpc, verdict]));
  return (
    [...new Set([...was.keys(), ...is.keys()])]
      .sort(byText)
      .map((rpc) => ({ rpc, before: was.get(rpc), after: is.get(rpc) }))
      .filter((one) => one.before !== one.after && !(narrowed && one.after === undefined))
      // That one of them is of smoke, which calls nothing conformant, is no change of the server.
      .filter(({ before: a, after: b }) => isSmoke(before) === isSmoke(after) || [a, b].includes("non-conformant"))
  );
}

const isSmoke = ({ depth }: Results) => depth === "smoke";

function differencesOf(before: Results, after: Results): string[] {
  const pairs = [
    ["hallmark", before.tool.version, after.tool.version],
    ["contract", before.tool.contract, after.tool.contract],
    ["requirements", requirementWords(before), requirementWords(after)],
    ["seed", before.seed, after.seed],
    ["runs per property", before.runs, after.runs],
    ["depth", before.depth ?? "standard", after.depth ?? "standard"],
    ["selection", before.selection.join(" ") || "all", after.selection.join(" ") || "all"],
  ] as const;
  return pairs.filter(([, a, b]) => a !== b).map(([what, a, b]) => `${what}: ${a}, then ${b}`);
}

/** True where nothing got worse: no case newly fails, fails for more, or is no longer tested. */
export function isNoWorse({ newlyFailing, failingOtherwise, newlyUntested }: Comparison): boolean {
  return newlyFailing.length + failingOtherwise.length + newlyUntested.length === 0;
}
