import type { CaseResult } from "../harness/case/result.ts";
import { type Change, type Comparison, failureOf, isNoWorse } from "./compare.ts";
import { printable } from "./printable.ts";
import { count, duration, outcomeSigns, outcomeWords } from "./words.ts";

/** Changes of a kind that are written out; the rest are counted. */
const maxShown = 40;

/** A comparison for a terminal: what got worse first. */
export function comparisonText(comparison: Comparison, names: readonly [before: string, after: string]): string {
  const blocks = [
    comparison.differences.map((one) => `The runs differ in ${one}.`),
    block("Newly failing", comparison.newlyFailing, failureLines),
    block("Failing for more than before", comparison.failingOtherwise, failureLines),
    block("Newly untested", comparison.newlyUntested, untestedLines),
    block("Fixed", comparison.fixed, plainLines),
    block("Newly tested", comparison.newlyTested, plainLines),
    block("Slower", comparison.slower, slowerLines),
    listed(
      "Verdicts",
      comparison.verdicts.map(({ rpc, before, after }) => `${rpc}: ${before ?? "none"} → ${after ?? "none"}`),
    ),
    listed("Newly observed at open points", comparison.gainedObservations),
    listed("No longer observed at open points", comparison.lostObservations),
    [summaryOf(comparison, names)],
  ];
  return printable(
    `${blocks
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n")}\n`,
  );
}

function summaryOf(comparison: Comparison, [before, after]: readonly [string, string]): string {
  const { newlyFailing, failingOtherwise, newlyUntested, fixed, slower } = comparison;
  const counts = [
    `${newlyFailing.length} newly failing`,
    ...(failingOtherwise.length === 0 ? [] : [`${failingOtherwise.length} failing for more`]),
    `${newlyUntested.length} newly untested`,
    `${fixed.length} fixed`,
    `${slower.length} slower`,
  ];
  return `${isNoWorse(comparison) ? "✓ No worse" : "✗ Worse"}: ${counts.join(", ")} (${before} → ${after})`;
}

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - maxShown;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return [`${title} (${lines.length})`, ...lines.slice(0, maxShown).map((line) => `  ${line}`), ...rest];
}

function block(title: string, changes: readonly Change[], linesOf: (change: Change) => string[]): string[] {
  if (changes.length === 0) return [];
  const more = changes.length - maxShown;
  const rest = more > 0 ? [`  and ${count(more, "more case", "more cases")}`] : [];
  const lines = changes.slice(0, maxShown).flatMap(linesOf);
  return [`${title} (${changes.length})`, ...lines.map((line) => `  ${line}`), ...rest];
}

function wordOf(result: CaseResult | undefined): string {
  return result === undefined ? "not in the run" : outcomeWords[result.outcome];
}

function plainLines({ id, rpc, before, after }: Change): string[] {
  const sign = after === undefined ? "-" : outcomeSigns[after.outcome];
  return [`${sign} ${id} · ${rpc}  (${wordOf(before)} → ${wordOf(after)})`];
}

function failureLines(change: Change): string[] {
  const { after } = change;
  if (after === undefined) return plainLines(change);
  return [...plainLines(change), ...failureOf(after).map((failure) => `    ${failure}`), `    replay  ${after.replay}`];
}

function untestedLines(change: Change): string[] {
  const reason = change.after?.reason;
  return [...plainLines(change), ...(reason === undefined ? [] : [`    ${reason}`])];
}

function slowerLines({ id, rpc, before, after }: Change): string[] {
  return [`${id} · ${rpc}  ${duration(before?.durationMs ?? 0)} → ${duration(after?.durationMs ?? 0)}`];
}
