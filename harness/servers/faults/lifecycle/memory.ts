import type { JsonValue } from "@bufbuild/protobuf";
import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { uuid } from "../../reference/beta/messages.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import { inReply, onReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop } from "../values.ts";

/** The user's items at the time of the call. */
function itemsOf({ world, tenant }: BetaContext) {
  return world.tables.memory_item.entries(tenantKey(tenant)).map(({ record }) => record);
}

/** Does something more after a deletion of all memory, with the items as they were; may give another count of them. */
export function afterDeletion(
  work: (context: BetaContext, before: ReturnType<typeof itemsOf>) => bigint | undefined,
): BetaDecoration {
  return {
    handlers: aroundBeta(MemoryService.method.deleteAllMemory, (next) => async (context, request) => {
      const before = itemsOf(context);
      const reply = await next(context, request);
      const deletedCount = work(context, before);
      return deletedCount === undefined ? reply : { ...reply, deletedCount };
    }),
  };
}

/** Switches memory on, at the version that the deletion gave its settings. */
const switchingOn: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.deleteAllMemory, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { memory_settings } = context.world.tables;
    const settings = { ...memory_settings.get(idText(request.customerUserId)), enabled: true };
    memory_settings.put(settings);
    return { ...reply, settings };
  }),
};

/** Puts back some of the items that were deleted. */
const keeping = (kept: (items: ReturnType<typeof itemsOf>) => ReturnType<typeof itemsOf>) =>
  afterDeletion(({ world }, items) => {
    for (const item of kept(items)) world.tables.memory_item.put(item);
    return undefined;
  });

/** Keeps the items that were changed since they were stored. */
function keepingChanged(): BetaDecoration {
  const changed = new Set<string>();
  const { handlers } = keeping((items) => items.filter(({ memoryItemId }) => changed.has(idText(memoryItemId))));
  return {
    handlers: {
      ...handlers,
      ...aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
        const reply = await next(context, request);
        changed.add(idText(request.memoryItemId));
        return reply;
      }),
    },
  };
}

/** Keeps all items while memory is off. */
const keepingWhileOff = afterDeletion(({ world, tenant }, items) => {
  const isOff = world.tables.memory_settings.entries(tenantKey(tenant)).some(({ record }) => !record.enabled);
  for (const item of isOff ? items : []) world.tables.memory_item.put(item);
  return undefined;
});

/** Changes every other item of the user too. */
const changesEveryItem: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => (context, request) => {
    for (const item of itemsOf(context)) {
      const id = idText(item.memoryItemId);
      if (id !== idText(request.memoryItemId))
        context.world.tables.memory_item.change(id, { valueJson: request.valueJson });
    }
    return next(context, request);
  }),
};

/** Leaves what an item was before an update as another one of its key. */
const leavingACopy: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
    const { memory_item } = context.world.tables;
    const before = { ...memory_item.get(idText(request.memoryItemId)) };
    const reply = await next(context, request);
    memory_item.put({ ...before, memoryItemId: uuid(context.world.newId()) });
    return reply;
  }),
};

const renamesTheKey: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { memory_item } = context.world.tables;
    const item = memory_item.get(idText(request.memoryItemId));
    memory_item.put({ ...item, key: `${item.key}-2` });
    return reply;
  }),
};

const text = (value: JsonValue) => Buffer.from(String(value), "base64").toString();
const encode = (value: string) => Buffer.from(value).toString("base64");

/** Stores an empty object where a document is what many languages take for nothing. */
const emptyForNothing = onRequest((json) => {
  const isNothing = ["false", "0", "null", '""'].includes(text(json.valueJson ?? "").trim());
  return isNothing ? { ...json, valueJson: encode("{}") } : json;
});

export const memoryFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.memory.deleted-count": {
    "DeleteAllMemory-counts-one-more": [
      "counts an item more than it deletes",
      afterDeletion((_, all) => BigInt(all.length + 1)),
    ],
    "DeleteAllMemory-counts-nothing": ["counts nothing", afterDeletion(() => 0n)],
    "DeleteAllMemory-counts-one": [
      "counts one, however many there were",
      afterDeletion((_, all) => (all.length > 0 ? 1n : 0n)),
    ],
    "DeleteAllMemory-counts-the-settings": [
      "counts the settings among the items when there are none",
      afterDeletion((_, all) => BigInt(Math.max(all.length, 1))),
    ],
  },
  "*.memory.all-gone": {
    "DeleteAllMemory-keeps-one": ["leaves the last item", keeping((all) => all.slice(-1))],
    "DeleteAllMemory-keeps-all-but-one": ["leaves all items but one", keeping((all) => all.slice(1))],
    "DeleteAllMemory-keeps-all": ["counts the items and deletes none", keeping((all) => all)],
    "DeleteAllMemory-keeps-changed-items": ["leaves items that were changed", keepingChanged],
    "DeleteAllMemory-keeps-all-while-off": ["deletes nothing while memory is off", keepingWhileOff],
  },
  "*.records.echo": {
    "DeleteAllMemory-switches-memory-on": ["switches memory on again where it was off", switchingOn],
    "UpdateMemoryItem-drops-nulls": [
      "leaves members out that are null",
      onRequest((json) => {
        const kept = text(json.valueJson ?? "").replaceAll(/"\w+":null,/g, "");
        return json.valueJson === undefined ? json : { ...json, valueJson: encode(kept) };
      }),
    ],
    "UpdateMemoryItem-empty-for-nothing": [
      "stores an empty object where a value is false, 0, null or empty",
      emptyForNothing,
    ],
    "UpdateMemorySettings-enabled-on": [
      "shows memory as it was not set",
      inReply("settings.enabled", (on) => on !== true),
    ],
    "UpdateMemorySettings-never-off": [
      "shows memory as switched off, and keeps it on",
      (row) => ({
        ...onRequest((json) => (json.enabled === false ? { ...json, enabled: true } : json))(row),
        ...onReply((json, { request }) => ({
          ...json,
          settings: { ...(json.settings as object), enabled: request.enabled === true },
        }))(row),
      }),
    ],
  },
  "*.records.agree": {
    "UpdateMemoryItem-leaves-a-copy": ["leaves what an item was as another one of its key", leavingACopy],
    "UpdateMemoryItem-changes-every-item": ["changes the user's other items too", changesEveryItem],
    "UpdateMemoryItem-renames-the-key": ["gives the item another key", renamesTheKey],
  },
  "*.records.filled": {
    "ListMemoryItems-sourceSessionIds-dropped": ["names no sources", inReply("memoryItems[].sourceSessionIds", drop)],
    "ListMemoryItems-key-dropped": ["shows no keys", inReply("memoryItems[].key", drop)],
    "ListMemoryItems-updatedAt-dropped": ["shows no times", inReply("memoryItems[].updatedAt", drop)],
  },
  "*.wire.json-documents": {
    "ListMemoryItems-valueJson-plain": [
      "shows values that are JSON no longer",
      inReply("memoryItems[].valueJson", (value) => encode(`value: ${text(value)}`)),
    ],
    "UpdateMemoryItem-valueJson-cut": [
      "cuts values short",
      inReply("memoryItem.valueJson", (value) => encode(text(value).slice(0, -1))),
    ],
    "DeleteMemoryItem-valueJson-quoted": [
      "shows the value in single quotes",
      inReply("memoryItem.valueJson", (value) => encode(`'${text(value)}'`)),
    ],
  },
});
