import type { Finding, Outcome } from "../../harness/case/result.ts";
import { type Entry, warningsOf } from "../entries.ts";
import { splitRpc } from "../order.ts";
import type { View } from "../view.ts";
import { gates, outcomes } from "../words.ts";

export type Level = Finding["level"];

/** What a reader may ask for: an outcome of a case, or that it broke a `should` clause. */
export type Mark = Outcome | "warning";

export const marks: readonly Mark[] = [...outcomes, "warning"];

/** Levels, the one that asks for action first. */
export const levels: readonly Level[] = ["must", "protocol", "should", "open"];

/** What the report is narrowed to. Empty parts narrow nothing. */
export interface Filter {
  readonly text: string;
  /** `alpha.v1.SecretService` */
  readonly service: string;
  readonly area: string;
  readonly level: string;
  readonly marks: readonly Mark[];
}

export const everything: Filter = { text: "", service: "", area: "", level: "", marks: [] };

/** Whether the filter narrows anything. */
export function narrows(filter: Filter): boolean {
  const { text, service, area, level } = filter;
  return text.trim() !== "" || service !== "" || area !== "" || level !== "" || filter.marks.length > 0;
}

/** An entry with what the filters ask of it, worked out once. */
export interface Row {
  readonly entry: Entry;
  readonly service: string;
  /** The case broke a `should` clause. */
  readonly warned: boolean;
  /** Everything a text is looked for in, in lower case. */
  readonly text: string;
}

/** Every entry of a view in its order, ready to be filtered. */
export function rowsOf(view: View): readonly Row[] {
  return view.rpcs.flatMap(({ entries }) => entries.map(rowOf));
}

/** Every case once, by what it came to itself, in the order of the RPCs they are about. */
export function caseRowsOf(view: View): readonly Row[] {
  return view.results.cases.map((result) =>
    rowOf({
      case: result,
      rpc: result.rpc,
      outcome: result.outcome,
      findings: result.findings.filter(({ level }) => gates(level)),
      borrowed: false,
    }),
  );
}

/** How many cases stand behind some rows: one that blames another RPC than its own has two. */
export function countCases(rows: readonly Row[]): number {
  return new Set(rows.map(({ entry }) => entry.case)).size;
}

function rowOf(entry: Entry): Row {
  const { case: result, rpc } = entry;
  const findings = result.findings.flatMap(({ clause, rule, expected, actual, at = "" }) => [
    clause,
    rule,
    expected,
    actual,
    at,
  ]);
  const texts = [rpc, result.id, result.says, result.reason ?? "", result.triage ?? "", ...result.clauses, ...findings];
  const { package: packageName, service } = splitRpc(rpc);
  return {
    entry,
    service: `${packageName}.${service}`,
    warned: !entry.borrowed && warningsOf(result).length > 0,
    text: texts.join("\n").toLowerCase(),
  };
}

/** The rows a filter leaves. Every word of its text must stand somewhere in the case. */
export function select(rows: readonly Row[], filter: Filter): readonly Row[] {
  if (!narrows(filter)) return rows;
  const words = wordsOf(filter.text);
  return rows.filter(
    (row) =>
      (filter.service === "" || row.service === filter.service) &&
      (filter.area === "" || row.entry.case.area === filter.area) &&
      (filter.level === "" || row.entry.case.level === filter.level) &&
      (filter.marks.length === 0 || filter.marks.some((mark) => isMarked(row, mark))) &&
      words.every((word) => row.text.includes(word)),
  );
}

/** The words of a text that is looked for. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function isMarked(row: Row, mark: Mark): boolean {
  return mark === "warning" ? row.warned : row.entry.outcome === mark;
}

/** How many rows each mark would leave, whatever marks are chosen now. */
export function countMarks(rows: readonly Row[], filter: Filter): Readonly<Record<Mark, number>> {
  const counts = { violated: 0, error: 0, unproven: 0, "not-exercised": 0, held: 0, warning: 0 };
  for (const row of select(rows, { ...filter, marks: [] })) {
    counts[row.entry.outcome] += 1;
    if (row.warned) counts.warning += 1;
  }
  return counts;
}
