import { Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { expectedVersionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { knowingOthers, mutations } from "./mutations.ts";
import { requestIdOf } from "./replays.ts";

/** Deletions of what other RPCs change. */
const ofChanged = mutations.filter(
  (row) =>
    row.effect === Effect.DELETE &&
    mutations.some(
      (other) => other.package === row.package && other.subject === row.subject && other.effect === Effect.UPDATE,
    ),
);

/** What is remembered of a call about such a record: all but the RPC, and what other fields it has. */
function memoryOf(context: Context, { subject }: RpcRow): string | undefined {
  const version = expectedVersionOf(context);
  return context.row.subject !== subject || version === undefined
    ? undefined
    : JSON.stringify([requestIdOf(context), namedId(context), String(version)]);
}

/** Requests are remembered without their RPC. */
export const withoutRpc: readonly Fault[] = faultsAt(ofChanged, {
  id: "idempotency/remembers-requests-without-their-rpc",
  says: "answers a requestId that a change of the record was called with as if the deletion had been done",
  breaks: "*.idempotency.changed-request",
  decorate: knowingOthers(memoryOf),
});
