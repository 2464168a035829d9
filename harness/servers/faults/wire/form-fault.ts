import { type Change, changedReply } from "../edit.ts";
import { defineSharedFault, type Fault } from "../fault.ts";

/** One field of one RPC in another JSON form than the contract's conventions give its type. The RPC's service comes first, that of alpha.v1 without its package. */
export type FormRow = readonly [id: string, says: string, breaks: string, rpc: string, path: string, change: Change];

/** The faults of a table of fields. */
export function formFaults(rows: readonly FormRow[]): readonly Fault[] {
  return rows.map(([id, says, breaks, name, path, change]) => {
    const rpc = name.startsWith("beta.v1.") ? name : `alpha.v1.${name}`;
    return defineSharedFault({
      id: `wire/${id}`,
      says: `${says} (${name}, ${path})`,
      breaks,
      rpc,
      decoration: changedReply(rpc, path, change),
    });
  });
}
