import type { ExchangeEvidence, Results } from "../../harness/case/result.ts";
import type { History } from "../history.ts";
import { sortResults } from "../order.ts";
import { printable } from "../printable.ts";

/**
 * How results travel inside the page: everything but the exchanges in one block that is read at once, and the exchanges
 * in a block per RPC that is read when a reader first asks for one of them. So the page opens fast however much evidence
 * there is.
 */
export interface EmbeddedBlock {
  readonly id: string;
  readonly json: string;
}

/** Exchanges by case id, of the cases about one RPC. */
export type EvidenceBlock = Readonly<Record<string, readonly ExchangeEvidence[]>>;

export const resultsBlock = "results";
export const historyBlock = "history";

/** The element that holds the exchanges of an RPC's cases. */
export function evidenceBlock(rpc: string): string {
  return `evidence:${rpc}`;
}

/** The blocks of a page, in order. Text of the target is made safe to show: what could steer a reader becomes visible. */
export function embed(unsorted: Results, history?: History): readonly EmbeddedBlock[] {
  const results = sortResults(unsorted);
  const bare: Results = { ...results, cases: results.cases.map((result) => ({ ...result, exchanges: [] })) };
  const evidence = Map.groupBy(
    results.cases.filter(({ exchanges }) => exchanges.length > 0),
    ({ rpc }) => rpc,
  );
  return [
    { id: resultsBlock, json: toJson(bare) },
    ...(history === undefined ? [] : [{ id: historyBlock, json: toJson(history) }]),
    ...[...evidence].map(([rpc, cases]) => ({
      id: evidenceBlock(rpc),
      json: toJson(Object.fromEntries(cases.map(({ id, exchanges }) => [id, exchanges])) satisfies EvidenceBlock),
    })),
  ];
}

/** JSON that may stand in a script element: no `<` in it can end the element or begin a comment. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? printable(part) : part)).replaceAll(
    "<",
    "\\u003c",
  );
}
