import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase, replying, seen } from "../case.testing.ts";
import { runToRemember } from "./memory-item.ts";

const listItems = "beta.v1.MemoryService/ListMemoryItems";

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
  const runs = (calls: typeof asked) => calls.filter(({ rpc: name }) => name === "beta.v1.RunService/CreateRun").length;
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

test("where nothing is remembered the case is unproven", async () => {
  const decoration = replying(listItems, () => ({}));
  const { context } = await openCase("beta.v1", { decoration, target: changing({ patience: { settleMs: 300 } }) });
  await expect(context.setup.fresh("memory_item")).rejects.toThrow(
    "needs a memory item; beta.inputs.memory stored none",
  );
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
