import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { type MemoryItem, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const { deleteAllMemory, deleteMemoryItem, updateMemorySettings } = MemoryService.method;

const itemsOf = ({ world, tenant }: BetaContext) =>
  world.tables.memory_item.entries(tenantKey(tenant)).map(({ record }) => record);

/** Keeps the items of users whose memory was deleted, by user, and puts them back for one of them. */
function keepingDeleted() {
  const gone = new Map<string, readonly MemoryItem[]>();
  return {
    handlers: aroundBeta(deleteAllMemory, (next) => async (context, request) => {
      const items = itemsOf(context);
      const reply = await next(context, request);
      if (items.length > 0) gone.set(idText(request.customerUserId), items);
      return reply;
    }),
    putBack({ tables }: BetaWorld, user: string): void {
      for (const item of gone.get(user) ?? []) tables.memory_item.put(item);
      gone.delete(user);
    },
  };
}

/** Items that were deleted come back once a run of their user has succeeded. */
function comingBack(): BetaDecoration {
  const { handlers, putBack } = keepingDeleted();
  return {
    handlers,
    parts: ({ stateEvent }) => ({
      stateEvent(world, run) {
        if (run.state === RunState.SUCCEEDED) putBack(world, idText(run.customerUserId));
        return stateEvent(world, run);
      },
    }),
  };
}

/** Items that were deleted come back once the memory of their user is turned on. */
function comingBackOnceOn(): BetaDecoration {
  const { handlers, putBack } = keepingDeleted();
  return {
    handlers: {
      ...handlers,
      ...aroundBeta(updateMemorySettings, (next) => async (context, request) => {
        const reply = await next(context, request);
        if (request.enabled) putBack(context.world, idText(request.customerUserId));
        return reply;
      }),
    },
  };
}

/** Counts the items that were deleted one by one before, too. */
function countingDeleted(): BetaDecoration {
  const gone = new Map<string, bigint>();
  return {
    handlers: {
      ...aroundBeta(deleteMemoryItem, (next) => async (context, request) => {
        const reply = await next(context, request);
        const user = idText(request.customerUserId);
        gone.set(user, (gone.get(user) ?? 0n) + 1n);
        return reply;
      }),
      ...aroundBeta(deleteAllMemory, (next) => async (context, request) => {
        const reply = await next(context, request);
        return { ...reply, deletedCount: reply.deletedCount + (gone.get(idText(request.customerUserId)) ?? 0n) };
      }),
    },
  };
}

/** Counts each version of each item. */
const countingVersions: BetaDecoration = {
  handlers: aroundBeta(deleteAllMemory, (next) => async (context, request) => {
    const deletedCount = itemsOf(context).reduce((sum, { resourceVersion }) => sum + resourceVersion, 0n);
    return { ...(await next(context, request)), deletedCount };
  }),
};

/** Keeps the items that come from several sessions. */
const keepingShared: BetaDecoration = {
  handlers: aroundBeta(deleteAllMemory, (next) => async (context, request) => {
    const kept = itemsOf(context).filter(({ sourceSessionIds }) => sourceSessionIds.length > 1);
    const reply = await next(context, request);
    for (const item of kept) context.world.tables.memory_item.put(item);
    return { ...reply, deletedCount: reply.deletedCount - BigInt(kept.length) };
  }),
};

export const memoryBack: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.memory.all-gone": {
    "DeleteAllMemory-comes-back-with-the-next-run": [
      "brings back what it deleted once another run of the user has succeeded",
      comingBack,
    ],
    "UpdateMemorySettings-brings-back-what-was-deleted": [
      "brings back what was deleted once memory is turned on again",
      comingBackOnceOn,
    ],
    "DeleteAllMemory-keeps-items-of-several-sessions": ["leaves items that come from several sessions", keepingShared],
  },
  "*.memory.deleted-count": {
    "DeleteAllMemory-counts-what-was-deleted-before": [
      "counts the items that were deleted one by one before, too",
      countingDeleted,
    ],
    "DeleteAllMemory-counts-versions": ["counts each version of the items it deletes", countingVersions],
  },
});
