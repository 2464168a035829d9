import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import type { UUIDv7 } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { type BetaContext, ownerOf } from "../../reference/beta/world.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse, refuseFields } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** The JSON type of a document, which may begin with a byte order mark. */
function typeOf(document: Uint8Array): string {
  const value: unknown = JSON.parse(new TextDecoder().decode(document));
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** What is remembered of a run: under one key a text, under any other a number. */
const plainValue = (key: string) => Buffer.from(key === "latest-request" ? '"the newest"' : "42");

/** Moves the version of the settings of the user that a request names. */
function moveSettings(
  { world }: BetaContext,
  { customerUserId }: { readonly customerUserId?: UUIDv7 | undefined },
): void {
  world.tables.memory_settings.change(idText(customerUserId), {});
}

/** Refuses to touch an item of a user whose memory is turned off. */
function requireOn({ world }: BetaContext, { customerUserId }: { readonly customerUserId?: UUIDv7 | undefined }): void {
  if (!world.tables.memory_settings.get(idText(customerUserId)).enabled)
    refuse("FAILED_PRECONDITION", "the memory is turned off");
}

/** When memory is kept, in what form, and until when. */
export const memoryVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "items-move-their-settings",
    says: "moves the version of a user's memory settings with every change of an item, so that nobody deletes what was not seen",
    open: ["beta.open.version-step"],
    decoration: {
      handlers: {
        ...aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
          const reply = await next(context, request);
          moveSettings(context, request);
          return reply;
        }),
        ...aroundBeta(MemoryService.method.deleteMemoryItem, (next) => async (context, request) => {
          const reply = await next(context, request);
          moveSettings(context, request);
          return reply;
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "memory-off-is-read-only",
    says: "refuses to update or delete an item of a user whose memory is turned off",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: {
        ...aroundBeta(MemoryService.method.updateMemoryItem, (next) => (context, request) => {
          requireOn(context, request);
          return next(context, request);
        }),
        ...aroundBeta(MemoryService.method.deleteMemoryItem, (next) => (context, request) => {
          requireOn(context, request);
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "memory-off-at-first",
    says: "remembers nothing of a new user until memory is turned on",
    open: ["beta.open.transitions", "beta.open.memory-warning"],
    decoration: { choices: { memoryAtFirst: "off" } },
  }),
  defineBetaVariant({
    id: "memory-values-keep-their-type",
    says: "remembers texts and numbers, and refuses values of another JSON type than the one an item has",
    open: ["beta.open.field-constraints", "beta.open.apps"],
    decoration: {
      parts: ({ remember }) => ({
        remember(world, run) {
          remember(world, run);
          const { memory_item } = world.tables;
          for (const { record } of memory_item.entries(tenantKey(ownerOf(run)))) {
            if (typeOf(record.valueJson) === "object")
              memory_item.put({ ...record, valueJson: plainValue(record.key) });
          }
        },
      }),
      handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => (context, request) => {
        const { valueJson } = context.world.tables.memory_item.get(idText(request.memoryItemId));
        if (typeOf(request.valueJson) !== typeOf(valueJson))
          refuseFields({ field: "valueJson", description: "is of another JSON type than the item" });
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "memory-turned-off-is-deleted",
    says: "deletes what it remembers of a user whose memory is turned off",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(MemoryService.method.updateMemorySettings, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { memory_item } = context.world.tables;
        const items = request.enabled ? [] : memory_item.entries(tenantKey(context.tenant));
        for (const { record } of items) memory_item.remove(idText(record.memoryItemId));
        return reply;
      }),
    },
  }),
];
