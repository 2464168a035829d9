import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** The clause that access from another workspace breaks, by what the RPC does. */
export function isolationClause(row: RpcRow): string {
  switch (row.effect) {
    case Effect.READ:
      return "*.isolation.read";
    case Effect.LIST:
      return "*.isolation.list";
    case Effect.WATCH:
      return "*.isolation.stream";
    default:
      return "*.isolation.mutate";
  }
}
