import type { Results } from "../harness/case/result.ts";
import type { Entry } from "./entries.ts";
import { exchangesOf, type FailureGroup, gatingOf, groupFailures, orderWords, repeatsOf } from "./evidence.ts";
import { groupObservations } from "./observations.ts";
import { splitRpc } from "./order.ts";
import { printable } from "./printable.ts";
import { replyLine } from "./reply-line.ts";
import { scatteredSentences } from "./scattered.ts";
import { usageSentences } from "./usage.ts";
import { allEntries, byReason, entriesHaving, type View, viewOf } from "./view.ts";
import { count, duration, outcomes, outcomeWords, requirementWords, verdictSigns, warningSign } from "./words.ts";

/** Groups of failures written out; a CI step summary must stay small, `report.html` has the rest. */
const failureLimit = 50;

/** `report.md`: summary, a verdict per RPC, failures, what stayed open, warnings and observations. */
export function markdownReport(results: Results): string {
  const view = viewOf(results);
  const blocks = [
    titleBlock(view),
    verdictBlock(view),
    failureBlock(view),
    openBlock(view, "error", "Hallmark's own errors"),
    openBlock(view, "unproven", "Unproven"),
    openBlock(view, "not-exercised", "Not exercised"),
    warningBlock(view),
    observationBlock(view),
    leftoverBlock(results),
  ];
  return printable(`${blocks.filter((block) => block !== "").join("\n\n")}\n`);
}

/** Text of a paragraph: nothing in it is markup, and it is one line. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]~#]/g, (mark) => `\\${mark}`)
    .trim();
}

/** A code span that holds any text: its fence is longer than every run of backticks inside. */
export function code(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const fence = "`".repeat(longestRun(line) + 1);
  return fence.length > 1 || line === "" ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** A table; pipes in its cells are escaped, in code spans too, as GitHub's tables ask for. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function titleBlock({ results, headline }: View): string {
  const { summary, target, tool } = results;
  const tally = outcomes
    .filter((outcome) => summary[outcome] > 0)
    .map((outcome) => `${summary[outcome]} ${outcomeWords[outcome]}`);
  const facts = [
    `${plain(target.name)} at ${code(target.baseUrl)}`,
    `contract ${plain(tool.contract)}`,
    `hallmark ${plain(tool.version)}`,
    ...(results.requirements === undefined ? [] : [`requirements ${plain(requirementWords(results))}`]),
    ...(results.depth === undefined ? [] : [`depth ${results.depth}`]),
    `seed ${results.seed}`,
    `${count(summary.exchanges, "exchange")} in ${duration(results.durationMs)}`,
  ];
  const narrowed = results.selection.length > 0 ? `\n\nNarrowed by ${code(results.selection.join(" "))}` : "";
  return [
    `# ${verdictSigns[headline.verdict]} ${headline.word}`,
    `**${headline.sentence}** ${count(summary.cases, "case")}: ${[...tally, count(summary.warnings, "warning")].join(", ")}.`,
    facts.join(" · ") + narrowed,
    ...usageSentences(results).map(plain),
  ].join("\n\n");
}

function verdictBlock(view: View): string {
  const rows = view.rpcs.map(({ result, word }) => [
    `${verdictSigns[result.verdict]} ${word}`,
    code(result.rpc),
    ...[result.held, result.violated, result.unproven, result.notExercised, result.warnings].map((number) =>
      number === 0 ? "" : String(number),
    ),
  ]);
  return `## Verdicts\n\n${table(["Verdict", "RPC", "Held", "Violated", "Unproven", "Not exercised", "Warnings"], rows)}`;
}

function failureBlock(view: View): string {
  const groups = groupFailures(entriesHaving(view, "violated"), allEntries(view));
  if (groups.length === 0) return "";
  const more = groups.length - failureLimit;
  const rest = more > 0 ? [`And ${count(more, "more breach", "more breaches")}: see \`report.html\`.`] : [];
  return [
    `## Violated (${gatingOf(groups)})${orderWords(groups)}`,
    ...scatteredBlock(view),
    ...groups.slice(0, failureLimit).map(failureItem),
    ...rest,
  ].join("\n\n");
}

/** What stands before all breaches, as a paragraph; none where nothing does. */
function scatteredBlock({ results }: View): readonly string[] {
  const sentences = scatteredSentences(results);
  return sentences.length === 0 ? [] : [sentences.map(plain).join(" ")];
}

function failureItem(group: FailureGroup): string {
  const { first, others } = group;
  const { entry, finding } = first;
  const names = [...new Set(others.map((other) => splitRpc(other.finding.rpc).method))];
  const last = exchangesOf(entry.case, finding).at(-1);
  const facts = [
    ["Expected", code(finding.expected)],
    ["Actual", code(finding.actual)],
    ...(finding.at === undefined ? [] : [["At", code(finding.at)]]),
    ...(last === undefined ? [] : [["Reply", code(replyLine(last))]]),
    ...(names.length === 0 ? [] : [["The same on", names.map(code).join(", ")]]),
    ...(entry.borrowed ? [["Seen by the case about", code(entry.case.rpc)]] : []),
    ...repeatsOf(group).map((line) => ["Repeated", plain(line)]),
    ["Replay", code(entry.case.replay)],
  ];
  return [
    `### ${code(entry.case.id)} · ${code(finding.rpc)}`,
    `${plain(finding.rule)} (${finding.level} · ${code(finding.clause)})`,
    table(["", ""], facts),
    ...(entry.case.history === undefined
      ? []
      : [entry.case.history.map((step, index) => `${index + 1}. ${code(step)}`).join("\n")]),
    ...(last === undefined ? [] : [codeBlock(last.curl)]),
  ].join("\n\n");
}

function openBlock(view: View, outcome: Entry["outcome"], title: string): string {
  const groups = byReason(entriesHaving(view, outcome));
  if (groups.length === 0) return "";
  return `## ${title}\n\n${groups.map(([reason, entries]) => `- ${plain(reason)} (${count(entries.length, "case")})`).join("\n")}`;
}

function warningBlock(view: View): string {
  const rows = view.rpcs.flatMap(({ warnings }) =>
    warnings.map(({ finding }) => [
      code(finding.rpc),
      code(finding.clause),
      plain(finding.rule),
      plain(finding.actual),
    ]),
  );
  if (rows.length === 0) return "";
  return `## ${warningSign} Warnings\n\n${table(["RPC", "Clause", "Rule", "Actual"], rows)}`;
}

function observationBlock(view: View): string {
  const groups = groupObservations(view.results.observations);
  if (groups.length === 0) return "";
  const rows = groups.map(({ clause, value, rpcs }) => [code(clause), plain(value), String(rpcs.length)]);
  return `## Observations\n\nWhat the server chose where the contract leaves it open.\n\n${table(["Clause", "Observed", "RPCs"], rows)}`;
}

function leftoverBlock({ leftovers }: Results): string {
  return leftovers.length === 0
    ? ""
    : `## Left behind on the target\n\n${leftovers.map((leftover) => `- ${plain(leftover)}`).join("\n")}`;
}
