import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { MemoryItemSchema, MemorySettingsSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOfTable } from "./listing.ts";
import { implement } from "./messages.ts";

export const memoryHandlers = implement(MemoryService, {
  deleteAllMemory(context) {
    const { tables } = context.world;
    const { customerUserId } = subjectOf(context, MemorySettingsSchema);
    const items = tables.memory_item.entries(tenantKey(context.tenant));
    for (const { record } of items) tables.memory_item.remove(idText(record.memoryItemId));
    return {
      settings: tables.memory_settings.change(idText(customerUserId), {}),
      deletedCount: BigInt(items.length),
    };
  },

  deleteMemoryItem(context) {
    const { memoryItemId } = subjectOf(context, MemoryItemSchema);
    return { memoryItem: context.world.tables.memory_item.remove(idText(memoryItemId), {}, false) };
  },

  getMemorySettings: (context) => ({ settings: subjectOf(context, MemorySettingsSchema) }),

  listMemoryItems(context, request) {
    const { records, page } = pageOfTable(context, request.page, context.world.tables.memory_item);
    return { memoryItems: records, page };
  },

  updateMemoryItem(context, { valueJson }) {
    const { memoryItemId } = subjectOf(context, MemoryItemSchema);
    return { memoryItem: context.world.tables.memory_item.change(idText(memoryItemId), { valueJson }) };
  },

  updateMemorySettings(context, { enabled }) {
    const { customerUserId } = subjectOf(context, MemorySettingsSchema);
    return { settings: context.world.tables.memory_settings.change(idText(customerUserId), { enabled }) };
  },
});
