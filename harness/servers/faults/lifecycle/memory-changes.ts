import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import type { MemoryItem } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Does an update, and then something to the item that was updated once before. */
function uponSecondUpdate(change: (item: MemoryItem, first: MemoryItem) => MemoryItem): () => BetaDecoration {
  return () => {
    const firsts = new Map<string, MemoryItem>();
    return {
      handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { memory_item } = context.world.tables;
        const id = idText(request.memoryItemId);
        const item = memory_item.get(id);
        const first = firsts.get(id);
        if (first === undefined) firsts.set(id, item);
        else memory_item.put(change(item, first));
        return reply;
      }),
    };
  };
}

/** Keeps an item, though it says it is deleted, that was changed since it was stored. */
function deletionKeepingChanged(): BetaDecoration {
  const changed = new Set<string>();
  return {
    handlers: {
      ...aroundBeta(MemoryService.method.deleteMemoryItem, (next) => async (context, request) => {
        const { memory_item } = context.world.tables;
        const item = memory_item.get(idText(request.memoryItemId));
        const reply = await next(context, request);
        if (changed.has(idText(request.memoryItemId))) memory_item.put(item);
        return reply;
      }),
      ...aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
        const reply = await next(context, request);
        changed.add(idText(request.memoryItemId));
        return reply;
      }),
    },
  };
}

/** Switches memory off once for each user; says so, and keeps it on, from then on. */
function offOnce(): BetaDecoration {
  const off = new Set<string>();
  return {
    handlers: aroundBeta(MemoryService.method.updateMemorySettings, (next) => async (context, request) => {
      const reply = await next(context, request);
      const id = idText(request.customerUserId);
      const { memory_settings } = context.world.tables;
      if (!request.enabled && off.has(id)) memory_settings.put({ ...memory_settings.get(id), enabled: true });
      if (!request.enabled) off.add(id);
      return reply;
    }),
  };
}

/** What goes wrong once memory was changed before. */
export const memoryChanges: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.deletion.effective": {
    "DeleteMemoryItem-keeps-changed-items": ["keeps items that were changed", deletionKeepingChanged],
  },
  "*.records.echo": {
    "UpdateMemoryItem-second-undone": [
      "goes back to the first change after the second",
      uponSecondUpdate((item, { valueJson }) => ({ ...item, valueJson })),
    ],
    "UpdateMemorySettings-off-once": ["switches memory off once only", offOnce],
  },
});
