import type { Results } from "../harness/case/result.ts";
import { type Change, type Comparison, compareResults, failureOf, isNoWorse } from "./compare.ts";
import { code, table } from "./markdown.ts";
import { printable } from "./printable.ts";
import { viewOf } from "./view.ts";
import { count, outcomeWords, verdictSigns } from "./words.ts";

/** By this the comment of an earlier run is known: it is replaced, so that a pull request has one. */
export const commentMark = "<!-- hallmark -->";

/** Rows of a table at most; the report has the rest. */
const maxRows = 20;

/**
 * A comment on a pull request: what the run came to, and what got worse, or better, since the run of the base branch. What a
 * server wrote stands in code alone: there it names nobody, and links nowhere.
 *
 * @param base results of the base branch; without them nothing is compared
 */
export function pullRequestComment(results: Results, base?: Results): string {
  const { headline } = viewOf(results);
  const { summary } = results;
  const blocks = [
    commentMark,
    `### ${verdictSigns[headline.verdict]} ${headline.word}: ${count(summary.cases, "case")} on ${code(results.target.name)}`,
    `${summary.held} held, ${summary.violated} violated, ${summary.unproven} unproven, ${summary["not-exercised"]} not exercised, ${count(summary.warnings, "warning")}.`,
    ...(base === undefined ? [] : changesSince(compareResults(base, results))),
  ];
  return printable(`${blocks.join("\n\n")}\n`);
}

function changesSince(comparison: Comparison): readonly string[] {
  const worse = [
    ...changesBlock("Newly failing", comparison.newlyFailing),
    ...changesBlock("Failing for more", comparison.failingOtherwise),
    ...changesBlock("No longer tested", comparison.newlyUntested),
  ];
  const head = isNoWorse(comparison)
    ? "Nothing is worse than on the base branch."
    : "**Worse than on the base branch:**";
  const fixed = comparison.fixed.length === 0 ? [] : [`${count(comparison.fixed.length, "case")} fixed.`];
  return [head, ...worse, ...fixed];
}

function changesBlock(title: string, changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return [];
  const rows = changes.slice(0, maxRows).map((change) => [code(change.id), code(change.rpc), code(whatOf(change))]);
  const more = changes.length > maxRows ? [`and ${changes.length - maxRows} more: see the report.`] : [];
  return [`${title} (${changes.length})`, table(["Case", "RPC", "What"], rows), ...more];
}

/** Why it fails now; where it is not tested, what became of it. */
function whatOf({ after }: Change): string {
  if (after === undefined) return "not in this run";
  const why = after.outcome === "not-exercised" ? (after.reason ?? "") : failureOf(after).join("; ");
  return why === "" ? outcomeWords[after.outcome] : why;
}
