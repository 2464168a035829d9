import { CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";

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

/** The clause that access to another customer user's records breaks, by what the RPC does. */
export function userIsolationClause({ effect }: RpcRow): string {
  if (effect === Effect.READ) return "*.isolation.user-read";
  if (effect === Effect.LIST) return "*.isolation.user-list";
  return effect === Effect.WATCH ? "*.isolation.user-stream" : "*.isolation.user-mutate";
}

/** RPCs about one customer user that accept a browser token. */
export const ofOneUser = (row: RpcRow): boolean =>
  row.credentials.includes(CredentialKind.BROWSER_TOKEN) && row.ids.some((id) => id.facts.names === "customer_user");
