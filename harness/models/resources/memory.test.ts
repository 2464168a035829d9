import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ListMemoryItemsResponseSchema, MemoryService } from "../../../proto/gen/beta/v1/memory_service_pb.js";
import { tenantKey } from "../../servers/reference/core/context.ts";
import { idText } from "../../servers/reference/core/fields.ts";
import { refuse } from "../../servers/reference/core/refusal.ts";
import { aroundBeta, type BetaContext } from "../../servers/reference/main.ts";
import { openCase } from "../../setup/case.testing.ts";
import { type Command, CommandSequence, deletingMutation } from "../commands.ts";
import { createPatience } from "../patience.ts";
import { runCommands } from "../run-commands.ts";
import { memoryModel } from "./memory.ts";

const { updateMemorySettings, updateMemoryItem, listMemoryItems, deleteMemoryItem } = MemoryService.method;

/** Items are records 0 and 1, the settings record 2; their first mutation deletes all items, the second is the switch. */
const mutate = (record: number, mutation: number): Command => ({
  type: "mutate",
  record,
  mutation,
  version: "current",
  variation: 1,
});
const update = mutate(0, 0);
const deleteAll = mutate(2, 0);
const turn = mutate(2, 1);
const list: Command = { type: "list", kind: 0 };

/** Whether a server so decorated is found to keep the contract. */
async function holds(handlers: object, commands: readonly Command[]): Promise<boolean> {
  const { context } = await openCase("beta.v1", { decoration: { handlers } });
  return runCommands(context, memoryModel(context), new CommandSequence(commands), createPatience(300, 100));
}

const remove = ({ world, tenant }: BetaContext, most = 100) => {
  for (const { record } of world.tables.memory_item.entries(tenantKey(tenant)).slice(0, most))
    world.tables.memory_item.remove(idText(record.memoryItemId));
};
const isOff = ({ world, tenant }: BetaContext) => !world.tables.memory_settings.get(tenant.customerUserId).enabled;

/** Deletes so many items once memory is turned off. */
const deletesOnceOff = (most?: number) =>
  aroundBeta(updateMemorySettings, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (!request.enabled) remove(context, most);
    return reply;
  });

test("turning memory off may keep the items, or delete them all", async () => {
  for (const handlers of [{}, deletesOnceOff()]) {
    expect(await holds(handlers, [turn, update, list, mutate(1, 0), turn, list])).toBe(true);
    expect(await holds(handlers, [list, turn, list, update, deleteAll])).toBe(true);
  }
});

test("items may be hidden while memory is off, and be back once it is on", async () => {
  const hides = aroundBeta(
    listMemoryItems,
    (next) => async (context, request) =>
      isOff(context) ? create(ListMemoryItemsResponseSchema) : next(context, request),
  );
  expect(await holds(hides, [turn, list, turn, list, update])).toBe(true);
});

test("turning memory off deletes no item alone", async () => {
  expect(await holds(deletesOnceOff(1), [turn, update, list])).toBe(false);
});

test("while memory is off an item may be refused for the state, and for nothing else", async () => {
  const refusing = (reason: Parameters<typeof refuse>[0]) =>
    aroundBeta(
      updateMemoryItem,
      (next) => (context, request) => (isOff(context) ? refuse(reason, "memory is off") : next(context, request)),
    );
  expect(await holds(refusing("FAILED_PRECONDITION"), [update, turn, update])).toBe(true);
  expect(await holds(refusing("INVALID_ARGUMENT"), [update, turn])).toBe(true);
  expect(await holds(refusing("INVALID_ARGUMENT"), [turn, update])).toBe(false);
});

test("while memory stays on, no item goes but the one that is deleted", async () => {
  const deletesAll = aroundBeta(deleteMemoryItem, (next) => async (context, request) => {
    const reply = await next(context, request);
    remove(context);
    return reply;
  });
  expect(await holds(deletesAll, [mutate(0, deletingMutation), list])).toBe(false);
});
