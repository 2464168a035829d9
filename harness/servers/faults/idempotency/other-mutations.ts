import { ChangesItself, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { expectedVersionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { replyOfNothing, requestIdOf } from "./replays.ts";

/** Mutations of what nothing else changes meanwhile. */
const isMutation = ({ requestId, expectedVersion, resource, changesItself }: RpcRow) =>
  requestId !== undefined &&
  expectedVersion !== undefined &&
  resource !== undefined &&
  changesItself !== ChangesItself.BY_WORK;

/** Deletions of what other RPCs change. */
const ofChanged = rpcs.filter(
  (row) =>
    row.effect === Effect.DELETE &&
    isMutation(row) &&
    row.peers.some(
      (peer) =>
        peer.name !== row.name && peer.subject === row.subject && peer.effect === Effect.UPDATE && isMutation(peer),
    ),
);

/** What is remembered of a request: all but the RPC, and what other fields it has. */
const memoryOf = (context: Context) =>
  JSON.stringify([requestIdOf(context), namedId(context), String(expectedVersionOf(context))]);

/** Requests are remembered without their RPC. */
export const withoutRpc: readonly Fault[] = faultsAt(ofChanged, {
  id: "idempotency/remembers-requests-without-their-rpc",
  says: "answers a requestId that a change of the record was called with as if the deletion had been done",
  breaks: "*.idempotency.changed-request",
  decorate: (row) => ({
    parts: (parts) => {
      const seen = new Set<string>();
      return {
        async idempotent(context, effect) {
          if (context.row.name === row.name && seen.has(memoryOf(context))) return replyOfNothing(context);
          const reply = await parts.idempotent(context, effect);
          const isOfAnother = context.row.name !== row.name && context.row.subject === row.subject;
          if (isOfAnother && expectedVersionOf(context) !== undefined) seen.add(memoryOf(context));
          return reply;
        },
      };
    },
  }),
});
