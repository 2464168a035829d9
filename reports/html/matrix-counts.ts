import type { Tally } from "../../harness/case/result.ts";
import { tallyOf } from "../rollup.ts";
import type { Row } from "./filter.ts";

/** Outcomes by RPC and area. */
export type MatrixCounts = ReadonlyMap<string, ReadonlyMap<string, Tally>>;

/** Counts what some rows came to; an RPC or area without one of them does not stand in it. */
export function countMatrix(rows: readonly Row[]): MatrixCounts {
  const byRpc = Map.groupBy(rows, ({ entry }) => entry.rpc);
  return new Map(
    [...byRpc].map(([rpc, of]) => {
      const byArea = Map.groupBy(of, ({ entry }) => entry.case.area);
      return [
        rpc,
        new Map([...byArea].map(([area, those]) => [area, tallyOf(those.map(({ entry }) => entry.outcome))])),
      ];
    }),
  );
}
