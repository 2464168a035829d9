import { expect, test } from "vitest";
import { changing, openCase } from "./case.testing.ts";
import { openHook, pollForDelivery } from "./webhook-hook.ts";

test("a hook is released when its case is over", async () => {
  const { context, end } = await openCase("alpha.v1");
  const hook = await openHook(context, { status: 500 });
  const post = () => fetch(hook.url, { method: "POST", body: "1" });
  expect((await post()).status).toBe(500);
  expect(hook.delivered).toHaveLength(1);
  expect(await end()).toEqual([]);
  expect((await post()).status).toBe(200);
  expect(hook.delivered).toHaveLength(1);
});

/** A context whose receiver says that it was so late. */
async function withLateness(lateMs: number) {
  const { context } = await openCase("alpha.v1", { target: changing({ patience: { deliveryMs: 50 } }) });
  const receiver = { ...(await context.run.receiver()), lateSince: () => lateMs };
  return { ...context, run: { ...context.run, receiver: async () => receiver } };
}

/** A probe that finds something after so many milliseconds. */
function findingAfter(ms: number) {
  const from = performance.now() + ms;
  return async () => (performance.now() >= from ? true : undefined);
}

test("a delivery is waited for so much longer as our own receiver was late", async () => {
  expect(await pollForDelivery(await withLateness(1000), findingAfter(200))).toBe(true);
});

test("a delivery is waited for no longer than patience says where the receiver was in time", async () => {
  expect(await pollForDelivery(await withLateness(0), findingAfter(200))).toBeUndefined();
});
