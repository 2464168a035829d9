import type { UUIDv7 } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { isChangeable, storedFields } from "../../../../proto/resources.ts";
import { Change, ChangesItself, Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { versionOf } from "../../reference/core/subject.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { replacing, store } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { actingAgain, answeringFirst, isCountable, plaintextToo, replyOfNothing, requestIdOf } from "./replays.ts";

/** Mutations of what nothing else changes meanwhile. */
export const mutations = rpcs.filter(
  ({ requestId, expectedVersion, resource, changesItself }) =>
    requestId !== undefined &&
    expectedVersion !== undefined &&
    resource !== undefined &&
    changesItself !== ChangesItself.BY_WORK,
);
const mutating = mutations.filter(({ change }) => change !== Change.COMPLETES);
const updating = mutating.filter((row) => row.effect === Effect.UPDATE);

/**
 * Answers as if it had been done what another RPC was called with.
 *
 * @param memoryOf what is remembered of a call of another RPC than the row's, and looked for at the row's own; undefined for nothing
 */
export const knowingOthers =
  (memoryOf: (context: Context, row: RpcRow) => string | undefined) =>
  (row: RpcRow): SharedDecoration => ({
    parts: (parts) => {
      const seen = new Set<string>();
      return {
        async idempotent(context, effect) {
          const known = memoryOf(context, row);
          if (context.row.name !== row.name && known !== undefined) seen.add(known);
          else if (known !== undefined && seen.has(known)) return replyOfNothing(context);
          return parts.idempotent(context, effect);
        },
      };
    },
  });

/** The requestIds of all RPCs are one memory: one that made the record is answered as if the change had been made. */
export const sharedByRpcs: readonly Fault[] = faultsAt(mutating.filter(isCountable), {
  id: "idempotency/knows-ids-of-other-rpcs",
  says: "answers a requestId another RPC was called with as if it had been done",
  breaks: "*.idempotency.changed-request",
  decorate: knowingOthers(requestIdOf),
});

/** A known requestId is answered with its first reply, whatever else is asked. */
export const changedMutationIgnored: readonly Fault[] = faultsAt(
  // What is revoked already is so the second time, whoever says it.
  updating.filter(({ change }) => change !== Change.REVOKES),
  {
    id: "idempotency/ignores-a-changed-request",
    says: "answers a changed mutation under a known requestId as if it had been done",
    breaks: "*.idempotency.changed-request",
    // Whose request it was is one of the things that may have changed.
    entails: (row) => ["*.idempotency.tenant", ...plaintextToo(row)],
    decorate: answeringFirst(() => ""),
  },
);

/** A requestId whose call was refused counts as done: the right call under it does nothing. */
export const refusalTakenForDone: readonly Fault[] = faultsAt(mutating, {
  id: "idempotency/takes-a-refusal-for-done",
  says: "answers a call whose requestId was refused before as if it had been done",
  breaks: "*.idempotency.changed-request",
  // The reply shows the record as it was, not what was sent, and no plaintext; what was refused may be a version that is not current.
  entails: (row) => [
    "*.records.echo",
    "*.versioning.expected",
    ...(row.package === "beta.v1" && row.plaintext.length > 0 ? ["*.credentials.first"] : []),
  ],
  decorate: replacing((parts) => {
    const refused = new Set<string>();
    return {
      async idempotent(context, effect) {
        if (refused.has(requestIdOf(context))) return replyOfNothing(context);
        try {
          return await parts.idempotent(context, effect);
        } catch (error) {
          refused.add(requestIdOf(context));
          throw error;
        }
      },
    };
  }),
});

/** A replay is done again once the record has moved on: its own version is not asked for. */
export const doneAgainAfterChange: readonly Fault[] = faultsAt(
  // What is revoked cannot be revoked again.
  updating.filter((row) => isChangeable(row) && row.change !== Change.REVOKES),
  {
    id: "idempotency/comes-back",
    says: "does a mutation again whose replay comes after another change",
    breaks: "*.idempotency.one-effect",
    // The version that it expects is not current any more.
    entails: ["*.versioning.expected"],
    decorate: replacing((parts) => {
      const again = new Set<Context>();
      const after = new Map<string, bigint>();
      return {
        async idempotent(context, effect) {
          const id = requestIdOf(context);
          const known = after.get(id);
          const current = () => {
            const subject = context.world.parts.findSubject(context);
            return subject === undefined ? undefined : versionOf(subject);
          };
          if (known !== undefined && current() !== known) {
            again.add(context);
            return await effect();
          }
          const reply = await parts.idempotent(context, effect);
          const now = known === undefined ? current() : undefined;
          if (now !== undefined) after.set(id, now);
          return reply;
        },
        checkVersion(context) {
          if (!again.has(context)) parts.checkVersion(context);
        },
      };
    }),
  },
);

/** Serves a replay as it is to be served, and does something all the same. */
const actingOnReplay = (act: (context: Context) => void) =>
  replacing((parts) => {
    const served = new Set<string>();
    return {
      async idempotent(context, effect) {
        const id = requestIdOf(context);
        const reply = await parts.idempotent(context, effect);
        if (served.has(id)) act(context);
        served.add(id);
        return reply;
      },
    };
  });

/** Stores what a request sets, and leaves the record at its version. */
function putBack(context: Context): void {
  const record = context.world.parts.findSubject(context);
  if (record === undefined) return;
  const names = storedFields(context.row).map(({ localName }) => localName);
  const sent = Object.fromEntries(names.map((name) => [name, readField(context.request, name)]));
  store(context, Object.assign(record, sent));
}

/** A replay stores its values again, and the version tells nobody. */
export const putBackUnseen: readonly Fault[] = faultsAt(
  updating.filter((row) => isChangeable(row) && row.change === Change.SETS),
  {
    id: "idempotency/puts-back-what-was-sent",
    says: "stores what was sent once more where a mutation is replayed, at the version that the record has by then",
    breaks: "*.versioning.expected",
    entails: ["*.idempotency.one-effect"],
    decorate: actingOnReplay(putBack),
  },
);

/** Removes every item of memory that there is. */
function wipe({ tenant, world: { tables } }: Context): void {
  for (const { record } of tables.memory_item?.entries(tenantKey(tenant)) ?? [])
    tables.memory_item?.remove(idText(readField(record, "memoryItemId") as UUIDv7));
}

/** A replay of a deletion of all memory deletes what was stored since, and answers as the first call was. */
export const wipedAgain: readonly Fault[] = faultsAt([rpc("beta.v1.MemoryService/DeleteAllMemory")], {
  id: "idempotency/deletes-what-was-stored-since",
  says: "deletes the items that were stored since where it is replayed",
  breaks: "*.versioning.expected",
  decorate: actingOnReplay(wipe),
});

/** Each replay of a redelivery sends its event again. */
export const sentForEachReplay: readonly Fault[] = faultsAt(
  rpcs.filter(({ change }) => change === Change.REDELIVERS),
  {
    id: "idempotency/sends-for-each-replay",
    says: "sends the event once for each call with one requestId",
    breaks: "*.idempotency.one-effect",
    decorate: actingAgain,
  },
);

/** A replay acts once more on a version that it left behind itself. */
export const unconditionalReplays: readonly Fault[] = faultsAt(
  // What is revoked or decided cannot be so again; what nothing changes shows no second effect.
  updating.filter((row) => row.record !== undefined && row.change !== Change.REVOKES && row.change !== Change.DECIDES),
  {
    id: "idempotency/acts-again-on-a-version-left-behind",
    says: "makes a replayed mutation once more, though the version it expects is not current any more",
    breaks: "*.versioning.expected",
    entails: (row) =>
      row.package === "beta.v1" && row.plaintext.length > 0
        ? ["*.idempotency.one-effect", "*.credentials.once"]
        : ["*.idempotency.one-effect"],
    decorate: actingAgain,
  },
);

export const rotatedAgain: readonly Fault[] = faultsAt([rpc("alpha.v1.SecretService/RotateSecret")], {
  id: "idempotency/acts-again",
  says: "rotates again for a replay, without asking for the version",
  breaks: "*.idempotency.one-effect",
  decorate: actingAgain,
});
