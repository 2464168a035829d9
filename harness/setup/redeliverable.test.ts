import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import { textAt } from "../wire/json.ts";
import { changing, failing, openCase, type TestOptions } from "./case.testing.ts";
import { redeliverableDeliveries, redeliverableDelivery, redelivered } from "./redeliverable.ts";

const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];

/** A case on a reference that sends deliveries in these states again, and tries them after such pauses. */
function openWith(name: PackageName, redeliveredStates: readonly string[], deliveryPausesMs: readonly number[] = [1]) {
  const target = changing({ patience: { settleMs: 2000 } });
  return openCase(name, { decoration: { choices: { redeliveredStates, deliveryPausesMs } }, target });
}

const rowOf = (name: PackageName) => rpc(`${name}.WebhookService/RedeliverWebhookDelivery`);

/** Asks for a subject, and sends it again. Returns the state it was in. */
async function redeliverSubject({ context }: Awaited<ReturnType<typeof openCase>>, name: PackageName) {
  const row = rowOf(name);
  const subject = await context.setup.subjectOf(row);
  const reply = await context.call(row, await context.setup.request(row, subject));
  expect(reply.outcome).toBe("served");
  return textAt(subject?.record, "state").replace("WEBHOOK_DELIVERY_STATE_", "");
}

test.each(packages)(
  "%s: what was delivered is sent again where the target does so, which is asked once",
  async (name) => {
    const opened = await openCase(name);
    expect(await redeliverSubject(opened, name)).toBe("DELIVERED");
    const redeliveries = () => opened.asked.filter((one) => one.rpc === rowOf(name).name).length;
    expect(redeliveries()).toBe(2);
    expect(await redeliverSubject(opened, name)).toBe("DELIVERED");
    expect(redeliveries()).toBe(3);
  },
);

test.each(packages)("%s: where what was delivered is refused, one that was given up is sent again", async (name) => {
  const opened = await openWith(name, ["FAILED"]);
  expect(await redelivered(opened.context)).toBe("given up");
  expect(await redeliverSubject(opened, name)).toBe("FAILED");
  const two = await redeliverableDeliveries(opened.context, 2);
  expect(two.map(({ record }) => textAt(record, "state"))).toEqual(Array(2).fill("WEBHOOK_DELIVERY_STATE_FAILED"));
  expect(await opened.end()).toEqual([]);
});

test("where nothing is given up in time, one that waits for its next attempt is", async () => {
  const opened = await openWith("alpha.v1", ["PENDING", "FAILED"], [3_600_000]);
  expect(await redelivered(opened.context)).toBe("being tried");
  expect(await redeliverSubject(opened, "alpha.v1")).toBe("PENDING");
});

test("one that is sent again is taken by its hook then", async () => {
  const { context } = await openWith("beta.v1", ["FAILED"]);
  const { hook, endpoint, record } = await redeliverableDelivery(context);
  expect(hook.delivered.at(-1)?.answered).toBe(500);
  const request = {
    expectedResourceVersion: record.resourceVersion ?? "",
    webhookDeliveryId: record.webhookDeliveryId ?? "",
  };
  await context.call(rowOf("beta.v1"), await context.setup.request(rowOf("beta.v1"), undefined, request), endpoint);
  await expect.poll(() => hook.delivered.at(-1)?.answered).toBe(200);
});

test.each(packages)("%s: one that was sent again is at rest then, at another version", async (name) => {
  const { context, asked } = await openCase(name);
  const made = await context.setup.fresh("webhook_delivery:redelivered");
  const asks = asked.filter((one) => one.rpc === rowOf(name).name);
  expect(asks.at(-1)?.request.expectedResourceVersion).not.toBe(made.version);
  expect(made).toMatchObject({ record: { state: "WEBHOOK_DELIVERY_STATE_DELIVERED", attemptCount: 2 } });
  expect((await context.setup.current(made))?.version).toBe(made.version);
});

test("where nothing that is sent again comes about in time, more time is asked for", async () => {
  const { context } = await openWith("alpha.v1", ["FAILED"], [3_600_000]);
  await expect(redelivered(context)).rejects.toThrow("needs a longer patience.settleMs in the target file");
});

const asDelivered: readonly (readonly [what: string, options: TestOptions])[] = [
  ["refuses every delivery", { decoration: { choices: { redeliveredStates: [], deliveryPausesMs: [] } } }],
  ["fails", { decoration: failing("alpha.v1.WebhookService/RedeliverWebhookDelivery") }],
  ["lists none", { decoration: failing("alpha.v1.WebhookService/ListWebhookDeliveries") }],
];

test.each(asDelivered)("a target that %s is asked for what was delivered", async (_what, options) => {
  const { context } = await openCase("alpha.v1", options);
  expect(await redelivered(context)).toBe("delivered");
});
