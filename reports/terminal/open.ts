import type { Outcome } from "../../harness/case/result.ts";
import type { Entry, Warning } from "../entries.ts";
import { splitRpc } from "../order.ts";
import { printable } from "../printable.ts";
import { oneLine } from "../reply-line.ts";
import { byReason, entriesHaving, type View } from "../view.ts";
import { count, outcomeSigns, warningSign } from "../words.ts";
import type { Paint } from "./paint.ts";

const titles: readonly (readonly [Outcome, string])[] = [
  ["error", "Hallmark's own errors, grouped by reason"],
  ["unproven", "Unproven, grouped by reason"],
  ["not-exercised", "Not exercised, grouped by what is missing"],
];

/** Errors, unproven and not-exercised cases, each grouped by its reason. */
export function openLines(view: View, paint: Paint): string[] {
  const blocks = titles.flatMap(([outcome, title]) => {
    const groups = byReason(entriesHaving(view, outcome));
    if (groups.length === 0) return [];
    return [
      [paint("strong", title), ...groups.flatMap(([reason, entries]) => reasonLines(outcome, reason, entries, paint))],
    ];
  });
  return blocks.flatMap((block, index) => (index === 0 ? block : ["", ...block]));
}

function reasonLines(outcome: Outcome, reason: string, entries: readonly Entry[], paint: Paint): string[] {
  return [
    `${paint(outcome, outcomeSigns[outcome])} ${printable(reason)}  ${paint("faint", count(entries.length, "case"))}`,
    paint("faint", `    ${abridged(caseNames(entries))}`),
  ];
}

/** Case ids; with its RPC where a case stands there once, else with how often it does. */
function caseNames(entries: readonly Entry[]): string[] {
  return [...Map.groupBy(entries, (entry) => entry.case.id)].map(([id, [first, ...others]]) => {
    if (others.length > 0) return `${id} (${others.length + 1} RPCs)`;
    return first === undefined ? id : `${id} · ${splitRpc(first.rpc).method}`;
  });
}

/** Broken `should` clauses, grouped by clause and rule. */
export function warningLines(view: View, paint: Paint): string[] {
  const warnings = view.rpcs.flatMap((rpc) => rpc.warnings);
  if (warnings.length === 0) return [];
  const groups = Map.groupBy(warnings, ({ finding }) => JSON.stringify([finding.clause, finding.rule]));
  return [
    paint("strong", `Warnings (should, ${groups.size})`),
    ...[...groups.values()].flatMap((group) => warningGroupLines(group, paint)),
  ];
}

function warningGroupLines(group: readonly Warning[], paint: Paint): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { finding } = first;
  return [
    `${paint("warning", warningSign)} ${printable(finding.rule)}  ${paint("faint", `${finding.clause} · ${first.case.id}`)}`,
    `    expected ${oneLine(finding.expected)}; actual ${oneLine(finding.actual)}`,
    paint("faint", `    ${abridged(group.map((warning) => splitRpc(warning.finding.rpc).method))}`),
  ];
}

/** The first names and how many more there are. */
function abridged(names: readonly string[], limit = 6): string {
  const distinct = [...new Set(names)];
  const more = distinct.length - limit;
  return distinct.slice(0, limit).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
