import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import { type Change, changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.MemoryService";
const wipe = `${service}/DeleteAllMemory`;

/** The user's items at the time of the call. */
function itemsOf({ world, tenant }: BetaContext) {
  return world.tables.memory_item.entries(tenantKey(tenant)).map(({ record }) => record);
}

/** Deletes all memory in a way of its own. */
function wiping(
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

type Wipe = readonly [what: string, breaks: string, says: string, decoration: BetaDecoration];

const wipes: readonly Wipe[] = [
  [
    "counts-one-more",
    "memory.deleted-count",
    "counts an item more than it deletes",
    wiping((_, all) => BigInt(all.length + 1)),
  ],
  ["counts-nothing", "memory.deleted-count", "counts nothing", wiping(() => 0n)],
  [
    "counts-one",
    "memory.deleted-count",
    "counts one, however many there were",
    wiping((_, all) => (all.length > 0 ? 1n : 0n)),
  ],
  [
    "counts-the-settings",
    "memory.deleted-count",
    "counts the settings among the items when there are none",
    wiping((_, all) => BigInt(Math.max(all.length, 1))),
  ],
  [
    "keeps-one",
    "memory.all-gone",
    "leaves the last item",
    wiping(({ world }, all) => {
      for (const item of all.slice(-1)) world.tables.memory_item.put(item);
      return undefined;
    }),
  ],
  [
    "keeps-all",
    "memory.all-gone",
    "counts the items and deletes none",
    wiping(({ world }, all) => {
      for (const item of all) world.tables.memory_item.put(item);
      return undefined;
    }),
  ],
  [
    "of-everybody",
    "isolation.named-user",
    "deletes the memory of every user of the app",
    wiping(({ world, tenant }, own) => {
      const { memory_item } = world.tables;
      const everybody = own.length === 0 ? [] : memory_item.entries(tenantKey({ ...tenant, customerUserId: "" }));
      for (const { record } of everybody) {
        memory_item.remove(idText(record.memoryItemId));
      }
      return undefined;
    }),
  ],
];

export const wipeFaults: readonly Fault[] = wipes.map(([what, breaks, says, decoration]) =>
  defineBetaFault({
    id: `lifecycle/beta-DeleteAllMemory-${what}`,
    says: `DeleteAllMemory ${says}`,
    breaks: `beta.${breaks}`,
    rpc: wipe,
    decoration,
  }),
);

type Edit = readonly [rpc: string, path: string, what: string, breaks: string, says: string, change: Change];

const drop: Change = () => undefined;
const text = (value: JsonValue) => Buffer.from(String(value), "base64").toString();
const encode = (value: string) => Buffer.from(value).toString("base64");

const edits: readonly Edit[] = [
  ["ListMemoryItems", "memoryItems[].sourceSessionIds", "dropped", "records.filled", "names no sources", drop],
  ["ListMemoryItems", "memoryItems[].key", "dropped", "records.filled", "shows no keys", drop],
  ["ListMemoryItems", "memoryItems[].updatedAt", "dropped", "records.filled", "shows no times", drop],
  [
    "ListMemoryItems",
    "memoryItems[].valueJson",
    "plain",
    "wire.json-documents",
    "shows values that are JSON no longer",
    (value) => encode(`value: ${text(value)}`),
  ],
  [
    "UpdateMemoryItem",
    "memoryItem.valueJson",
    "cut",
    "wire.json-documents",
    "cuts values short",
    (value) => encode(text(value).slice(0, -1)),
  ],
  [
    "DeleteMemoryItem",
    "memoryItem.valueJson",
    "quoted",
    "wire.json-documents",
    "shows the value in single quotes",
    (value) => encode(`'${text(value)}'`),
  ],
  [
    "UpdateMemorySettings",
    "settings.enabled",
    "on",
    "records.echo",
    "shows memory as it was not set",
    (on) => on !== true,
  ],
];

export const memoryReplies: readonly Fault[] = edits.map(([method, path, what, breaks, says, change]) =>
  defineBetaFault({
    id: `lifecycle/beta-${method}-${path.replace(/^.*\./, "")}-${what}`,
    says: `${method} ${says}`,
    breaks: `beta.${breaks}`,
    rpc: `${service}/${method}`,
    decoration: changedReply(`${service}/${method}`, path, change),
  }),
);

const documentRpcs = [
  [`${service}/UpdateMemoryItem`, "valueJson"],
  ["beta.v1.CustomerUserService/UpdateCustomerUserGrant", "attributesJson"],
] as const;

/** What is taken for JSON though it is none, one kind per fault. */
const taken: readonly (readonly [what: string, says: string, takes: (text: string) => boolean])[] = [
  ["anything", "whatever it is", () => true],
  ["lax-json", "a trailing comma or single quotes", (document) => /^\[1,]$|'/.test(document)],
  ["several-documents", "two documents in a row", (document) => /} {/.test(document)],
  ["foreign-bytes", "bytes that are no UTF-8", (document) => document.includes("�")],
];

/** Stores what is no JSON document. */
export const documentFaults: readonly Fault[] = documentRpcs.flatMap(([name, field]) =>
  taken.map(([what, says, takes]) =>
    defineBetaFault({
      id: `wire/beta-${rpc(name).method}-stores-${what}`,
      says: `${rpc(name).method} stores ${says} as ${field}`,
      breaks: "beta.wire.json-documents-in",
      rpc: name,
      decoration: {
        parts: (parts) => ({
          validate: onRpc(name, parts.validate, (context: BetaContext) => {
            if (!takes(text(context.call.request[field] ?? ""))) parts.validate(context);
          }),
        }),
      },
    }),
  ),
);

const settingsRpc = `${service}/UpdateMemorySettings`;

export const otherMemoryFaults: readonly Fault[] = [
  defineBetaFault({
    id: "lifecycle/beta-UpdateMemorySettings-never-off",
    says: "shows memory as switched off, and keeps it on",
    breaks: "beta.records.echo",
    rpc: settingsRpc,
    decoration: {
      request: forRpc(settingsRpc, (json) => ({ ...json, enabled: true })),
      reply: forRpc(settingsRpc, (json, call) => ({
        ...json,
        settings: { ...(json.settings as JsonObject), enabled: call.request.enabled === true },
      })),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-UpdateMemoryItem-changes-every-item",
    says: "an update of one item changes the user's other items too",
    breaks: "beta.records.agree",
    rpc: `${service}/UpdateMemoryItem`,
    decoration: {
      handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => (context, request) => {
        for (const item of itemsOf(context)) {
          const id = idText(item.memoryItemId);
          if (id !== idText(request.memoryItemId))
            context.world.tables.memory_item.change(id, { valueJson: request.valueJson });
        }
        return next(context, request);
      }),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-UpdateMemoryItem-renames-the-key",
    says: "an update of an item gives it another key",
    breaks: "beta.records.agree",
    rpc: `${service}/UpdateMemoryItem`,
    decoration: {
      handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { memory_item } = context.world.tables;
        const item = memory_item.get(idText(request.memoryItemId));
        memory_item.put({ ...item, key: `${item.key}-2` });
        return reply;
      }),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-UpdateMemoryItem-only-shows-the-value",
    says: "an update of an item shows the new value and keeps the old one",
    breaks: "beta.records.echo",
    rpc: `${service}/UpdateMemoryItem`,
    decoration: {
      handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
        const { memory_item } = context.world.tables;
        const { valueJson } = memory_item.get(idText(request.memoryItemId));
        const reply = await next(context, request);
        memory_item.put({ ...memory_item.get(idText(request.memoryItemId)), valueJson });
        return reply;
      }),
    },
  }),
];
