import type { Results } from "../harness/case/result.ts";
import { failureLines } from "./terminal/failures.ts";
import { matrixLines } from "./terminal/matrix.ts";
import { openLines, warningLines } from "./terminal/open.ts";
import { createPaint, type Paint } from "./terminal/paint.ts";
import { usageSentences } from "./usage.ts";
import { type View, viewOf } from "./view.ts";
import { count, duration, outcomeSigns, outcomeWords, requirementWords, verdictSigns, warningSign } from "./words.ts";

export { type Progress, progressLine } from "./terminal/progress.ts";

/** How the terminal report is drawn. */
export interface TerminalOptions {
  readonly colour: boolean;
  /** Width of the terminal in characters; the matrix drops what does not fit. */
  readonly columns?: number;
  /** Groups of failures shown in full; the rest are counted. */
  readonly failures?: number;
}

/** The whole report for a terminal: matrix, failures, what stayed open, warnings, totals. */
export function terminalReport(results: Results, { colour, columns = 140, failures = 25 }: TerminalOptions): string {
  const view = viewOf(results);
  const paint = createPaint(colour);
  const blocks = [
    matrixLines(view, paint, columns),
    failureLines(view, paint, failures),
    openLines(view, paint),
    warningLines(view, paint),
    leftoverLines(view, paint),
    totalLines(view, paint),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

/** The set of requirements, where the results name one. */
function setOf(results: Results): string {
  return results.requirements === undefined ? "" : ` · requirements ${requirementWords(results)}`;
}

/** How much was asked, where the results say it. */
function depthOf({ depth }: Results): string {
  return depth === undefined ? "" : ` · depth ${depth}`;
}

function leftoverLines({ results }: View, paint: Paint): string[] {
  if (results.leftovers.length === 0) return [];
  return [paint("strong", "Left behind on the target"), ...results.leftovers.map((leftover) => `  ${leftover}`)];
}

function totalLines({ results, headline }: View, paint: Paint): string[] {
  const { summary, tool, target } = results;
  const tally = (["held", "violated", "unproven", "not-exercised", "error"] as const)
    .filter((outcome) => summary[outcome] > 0)
    .map((outcome) => paint(outcome, `${outcomeSigns[outcome]} ${summary[outcome]} ${outcomeWords[outcome]}`));
  if (summary.warnings > 0) tally.push(paint("warning", `${warningSign} ${count(summary.warnings, "warning")}`));
  const selection = results.selection.length > 0 ? [`  narrowed by ${results.selection.join(" ")}`] : [];
  return [
    `${paint(headline.verdict, `${verdictSigns[headline.verdict]} ${headline.word}`)}  ${headline.sentence}`,
    `  ${count(summary.cases, "case")}: ${tally.join("  ")}`,
    ...selection,
    ...usageSentences(results).map((sentence) => `  ${sentence}`),
    paint(
      "faint",
      `  ${target.name} at ${target.baseUrl} · ${tool.contract} · hallmark ${tool.version}${setOf(results)}${depthOf(results)} · seed ${results.seed} · ${count(summary.exchanges, "exchange")} in ${duration(results.durationMs)}`,
    ),
  ];
}
