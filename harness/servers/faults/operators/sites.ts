import { Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";

const changing: readonly Effect[] = [Effect.CREATE, Effect.UPDATE, Effect.DELETE];

/** True for rows that change something. */
export function changes({ effect }: RpcRow): boolean {
  return changing.includes(effect);
}

/** A predicate of rows: none of these faults, whose ids end in `ending`, is at the row already. */
export function without(faults: readonly Fault[], ending: string): (row: RpcRow) => boolean {
  const taken = new Set(faults.filter(({ id }) => id.endsWith(ending)).map(({ rpc }) => rpc));
  return (row) => !taken.has(row.name);
}
