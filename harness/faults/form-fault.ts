import { type Change, changedReply } from "./edit.ts";
import { defineFault, type Fault } from "./fault.ts";

/** One field of one RPC in another JSON form than the contract's conventions give its type. */
export type FormRow = readonly [id: string, says: string, breaks: string, rpc: string, path: string, change: Change];

/** The faults of a table of fields. */
export function formFaults(rows: readonly FormRow[]): readonly Fault[] {
  return rows.map(([id, says, breaks, rpc, path, change]) =>
    defineFault({
      id: `wire/${id}`,
      says: `${says} (${rpc}, ${path})`,
      breaks,
      rpc: `alpha.v1.${rpc}`,
      decoration: changedReply(`alpha.v1.${rpc}`, path, change),
    }),
  );
}
