import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, failing, openCase, replying, seen } from "../case.testing.ts";
import { rememberingRun, runToRemember } from "./memory-item.ts";

const listItems = "beta.v1.MemoryService/ListMemoryItems";
const getSettings = "beta.v1.MemoryService/GetMemorySettings";
const updateSettings = "beta.v1.MemoryService/UpdateMemorySettings";
const offAtFirst = { choices: { memoryAtFirst: "off" } };

/** How often an RPC was called. */
const called = (calls: readonly { readonly rpc: string }[], name: string) =>
  calls.filter(({ rpc: one }) => one === name).length;
/** How many runs were asked for. */
const runs = (calls: readonly { readonly rpc: string }[]) => called(calls, "beta.v1.RunService/CreateRun");

test("an item is of a new user, and goes with the user", async () => {
  const { context, end } = await openCase("beta.v1");
  const [made, other] = [await context.setup.fresh("memory_item"), await context.setup.fresh("memory_item")];
  expect(made).toMatchObject({ kind: "memory_item", within: { customerUserId: made.record.customerUserId } });
  expect(other.within).not.toEqual(made.within);
  expect(await seen(context, made)).toEqual(made.record);
  expect(await end()).toEqual([]);
  expect((await context.call(listItems, { ...context.setup.tenant(), ...made.within })).outcome).toBe("refused");
});

test("as many runs are made as it takes to list enough items, three at most", async () => {
  const { context, asked } = await openCase("beta.v1");
  const { subjects } = await context.setup.listed(rpc(listItems));
  expect(subjects.length).toBeGreaterThanOrEqual(3);
  expect(runs(asked)).toBeLessThanOrEqual(3);
  const few = await openCase("beta.v1", {
    decoration: replying(listItems, (json) => ({
      ...json,
      memoryItems: (json.memoryItems as object[]).slice(0, 1) as never,
    })),
  });
  expect((await few.context.setup.listed(rpc(listItems))).subjects).toHaveLength(1);
  expect(runs(few.asked)).toBe(3);
});

test("the memory of a new user is turned on where it is off, once, and else left alone", async () => {
  for (const [decoration, turned] of [
    [offAtFirst, 1],
    [{}, 0],
  ] as const) {
    const { context, asked } = await openCase("beta.v1", { decoration });
    const item = await context.setup.fresh("memory_item");
    expect(await seen(context, item)).toEqual(item.record);
    expect([called(asked, getSettings), called(asked, updateSettings)]).toEqual([1, turned]);
  }
});

test("a run to remember turns memory on; a remembering run leaves it off", async () => {
  const { context } = await openCase("beta.v1", { decoration: offAtFirst });
  const [one, other] = [await context.setup.fresh("customer_user"), await context.setup.fresh("customer_user")];
  await runToRemember(context, one);
  await rememberingRun(context, other);
  const enabled = async (customerUserId: typeof one.id) => {
    const read = await context.call(getSettings, {
      ...context.setup.tenant(),
      customerUserId,
      requestId: context.setup.requestId(),
    });
    return read.outcome === "served" && (read.json.settings as { enabled?: boolean }).enabled === true;
  };
  expect([await enabled(one.id), await enabled(other.id)]).toEqual([true, false]);
});

test("where memory cannot be turned on, that is the cause; where it need not be, an item is there", async () => {
  const target = changing({ patience: { settleMs: 300 } });
  const { handlers } = failing(updateSettings) as { handlers: object };
  const off = await openCase("beta.v1", { decoration: { ...offAtFirst, handlers }, target });
  await expect(off.context.setup.fresh("memory_item")).rejects.toThrow(`needs ${updateSettings}, which was refused`);
  const unread = await openCase("beta.v1", { decoration: failing(getSettings), target });
  expect(await unread.context.setup.fresh("memory_item")).toMatchObject({ kind: "memory_item" });
});

test("where nothing is remembered the case is unproven", async () => {
  const decoration = replying(listItems, () => ({}));
  const { context } = await openCase("beta.v1", { decoration, target: changing({ patience: { settleMs: 300 } }) });
  await expect(context.setup.fresh("memory_item")).rejects.toThrow(
    "needs a memory item; beta.inputs.memory stored none",
  );
});

test("where what a run left is deleted before it is listed, another run leaves more", async () => {
  const { context, asked } = await openCase("beta.v1", {
    decoration: replying(listItems, (json) => (runs(asked) < 2 ? {} : json)),
    target: changing({ patience: { settleMs: 1500 } }),
  });
  expect(await context.setup.fresh("memory_item")).toMatchObject({ kind: "memory_item" });
  expect(runs(asked)).toBe(2);
});

test("a run to remember has succeeded, or leaves the case unproven", async () => {
  const { context } = await openCase("beta.v1");
  const run = await runToRemember(context, await context.setup.fresh("customer_user"));
  expect(run).toMatchObject({ kind: "run", record: { state: "RUN_STATE_SUCCEEDED" } });
  const target = (file: Parameters<ReturnType<typeof changing>>[0]) =>
    changing({ "beta.inputs.memory": file.beta?.inputs?.fail })(file);
  const wrong = (await openCase("beta.v1", { target })).context;
  await expect(runToRemember(wrong, await wrong.setup.fresh("customer_user"))).rejects.toThrow(
    "needs a run that succeeds",
  );
});
