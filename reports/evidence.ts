import type { CaseResult, ExchangeEvidence, Finding } from "../harness/case/result.ts";
import { rootCauseOf } from "../harness/case/root-cause.ts";
import { type Entry, warningsOf } from "./entries.ts";
import { splitRpc } from "./order.ts";
import { triageWords } from "./words.ts";

/** The exchanges a finding points at, the decisive one last; those of the whole case where it points at none. */
export function exchangesOf(result: CaseResult, finding: Finding): readonly ExchangeEvidence[] {
  const shown = finding.exchanges.flatMap((number) =>
    result.exchanges.filter((exchange) => exchange.number === number),
  );
  return shown.length > 0 ? shown : result.exchanges;
}

/** How many groups gate: a warning may be put first that the others come of. */
export const gatingOf = (groups: readonly FailureGroup[]): number =>
  groups.filter(({ first: { entry, finding } }) => finding.level !== "should" || entry.outcome === "violated").length;

/** What a heading says of the order of failures, where there are several. */
export function orderWords(groups: readonly FailureGroup[]): string {
  return groups.length > 1 ? ", the likeliest cause first" : "";
}

/** Failures with one cause in all likelihood: the same case broke the same clause on several RPCs. */
export interface FailureGroup {
  readonly first: Failure;
  readonly others: readonly Failure[];
}

/** How the cases of a group behaved when they were repeated: a line for each class. Where some were not, it names those that were. */
export function repeatsOf({ first, others }: FailureGroup): readonly string[] {
  const all = [first, ...others].map(({ entry }) => entry.case);
  const classes = Map.groupBy(all, ({ triage }) => triage);
  return [...classes].flatMap(([triage, of]) => {
    if (triage === undefined) return [];
    const names = [...new Set(of.map(({ rpc }) => splitRpc(rpc).method))].join(", ");
    return [`${triage}${classes.size === 1 ? "" : ` (${names})`}: ${triageWords[triage]}`];
  });
}

/** One breach on one RPC. */
export interface Failure {
  readonly entry: Entry;
  readonly finding: Finding;
}

/**
 * Every gating finding of these entries, grouped by case, clause and rule: first what the others, and the warnings
 * beside them, are likeliest to come of; the other groups and members keep their order.
 *
 * @param all entries whose warnings may be the cause
 */
export function groupFailures(entries: readonly Entry[], all: readonly Entry[] = entries): readonly FailureGroup[] {
  const failures = entries.flatMap((entry) => entry.findings.map((finding): Failure => ({ entry, finding })));
  const lead = rootCauseOf(
    [...failures, ...warned(all)].map((failure) => {
      const { case: one } = failure.entry;
      return { finding: failure.finding, by: `${one.id} ${one.rpc}`, failure };
    }),
  )?.failure;
  // Where nothing gates, there is nothing to put first.
  return group(
    lead === undefined || failures.length === 0 ? failures : [lead, ...failures.filter((failure) => failure !== lead)],
  );
}

/** Every broken `should` clause of these entries, grouped in the same way. */
export function groupWarnings(entries: readonly Entry[]): readonly FailureGroup[] {
  return group(warned(entries));
}

function warned(entries: readonly Entry[]): readonly Failure[] {
  return entries
    .filter(({ borrowed }) => !borrowed)
    .flatMap((entry) => warningsOf(entry.case).map(({ finding }): Failure => ({ entry, finding })));
}

function group(failures: readonly Failure[]): readonly FailureGroup[] {
  const groups = Map.groupBy(failures, ({ entry, finding }) =>
    JSON.stringify([entry.case.id, finding.clause, finding.rule]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => (first === undefined ? [] : [{ first, others }]));
}
