import {
  exchangesOf,
  type Failure,
  type FailureGroup,
  gatingOf,
  groupFailures,
  orderWords,
  repeatsOf,
} from "../evidence.ts";
import { printable } from "../printable.ts";
import { replyLine } from "../reply-line.ts";
import { scatteredSentences } from "../scattered.ts";
import { allEntries, entriesHaving, type View } from "../view.ts";
import { count, warningSign } from "../words.ts";
import { labelled, type Paint } from "./paint.ts";

/** Violations in full, one per group of the same breach; RPCs that share it are named below it. */
export function failureLines(view: View, paint: Paint, limit: number): string[] {
  const groups = groupFailures(entriesHaving(view, "violated"), allEntries(view));
  if (groups.length === 0) return [];
  const shown = groups.slice(0, limit).flatMap((group) => [...groupLines(group, paint), ""]);
  const more = groups.length - limit;
  const rest = more > 0 ? [`and ${count(more, "more breach", "more breaches")}: see report.html`] : [];
  const scattered = scatteredSentences(view.results).map((sentence) => `  ${sentence}`);
  return [
    paint("strong", `Violated (${gatingOf(groups)})${orderWords(groups)}`),
    ...(scattered.length > 0 ? [...scattered, ""] : []),
    ...shown,
    ...rest,
  ].slice(0, rest.length > 0 ? undefined : -1);
}

function groupLines(group: FailureGroup, paint: Paint): string[] {
  const { first, others } = group;
  const { entry, finding } = first;
  // What the others come of may be no more than a warning.
  const isWarning = entry.outcome !== "violated";
  const borrowed = entry.borrowed ? `  (seen by its case about ${entry.case.rpc})` : "";
  return [
    `${isWarning ? paint("warning", `${warningSign} ${entry.case.id}`) : paint("violated", `✗ ${entry.case.id}`)} · ${finding.rpc}  ${paint("faint", `${finding.level} · ${finding.clause}`)}${borrowed}`,
    `  ${printable(finding.rule)}`,
    ...labelled("expected", finding.expected),
    ...labelled("actual", finding.actual),
    ...(finding.at === undefined ? [] : labelled("at", finding.at)),
    ...(entry.case.history ?? []).flatMap((step, index) =>
      labelled(index === 0 ? "history" : "", `${index + 1}. ${step}`),
    ),
    ...evidenceLines(first),
    ...repeatsOf(group).flatMap((line) => labelled("repeated", line)),
    ...labelled("replay", entry.case.replay),
    ...otherLines(finding.rpc, others, paint),
  ];
}

function evidenceLines({ entry, finding }: Failure): string[] {
  const exchanges = exchangesOf(entry.case, finding);
  const last = exchanges.at(-1);
  if (last === undefined) return [];
  const lead = exchanges.length === 1 ? "1: " : `${exchanges.length}, the last: `;
  return [...labelled("exchanges", `${lead}${last.curl}`), ...labelled("reply", replyLine(last))];
}

function otherLines(rpc: string, others: readonly Failure[], paint: Paint): string[] {
  const names = [...new Set(others.map(({ finding }) => finding.rpc))].filter((name) => name !== rpc);
  if (names.length === 0) return [];
  return [
    paint(
      "faint",
      `  the same on ${count(names.length, "more RPC")}: ${names.map((name) => name.split("/").at(-1)).join(", ")}`,
    ),
  ];
}
