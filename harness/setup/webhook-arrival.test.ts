import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { PackageName } from "../../proto/rpcs.ts";
import { textAt } from "../wire/json.ts";
import { isSettled } from "../wire/states.ts";
import { changing, openCase, replying } from "./case.testing.ts";
import {
  idsOf,
  isAnonymous,
  mentions,
  requestsOf,
  unlinkedRecord,
  untilDelivered,
  untilRecorded,
} from "./webhook-arrival.ts";
import { finishedWork, settledDelivery } from "./webhook-delivery.ts";
import { createEnabledEndpoint, createEndpoint } from "./webhook-endpoint.ts";

const request = {
  method: "POST",
  target: "/hook",
  headers: { "x-id": "ABC" },
  body: Buffer.from('{"id":"DEF"}'),
  at: 0,
  answered: 200,
};

test("a request mentions an id in its body or its headers, in whatever case", () => {
  expect(["abc", "def", "ghi", ""].map((id) => mentions(request, [id]))).toEqual([true, true, false, false]);
});

test("a request is anonymous that holds no UUID, whatever else it holds", () => {
  const names = (text: string, headers = {}) => !isAnonymous({ ...request, headers, body: Buffer.from(text) });
  const [id, mac] = ["0190cafe-0000-7000-8000-00000000000a", "ab".repeat(32)];
  expect([names(id.toUpperCase()), names(id.replaceAll("-", "")), names("{}", { "x-event": id })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([names("{}"), names(mac), names("{}", { "x-signature": `sha256=${mac}` })]).toEqual([false, false, false]);
});

test.each<PackageName>(["alpha.v1", "beta.v1"])(
  "%s: requests are found by their work, or by what its record links",
  async (name) => {
    const { context } = await openCase(name);
    const { hook, endpoint, work, record } = await settledDelivery(context);
    expect(idsOf(context, record).every((id) => id !== "")).toBe(true);
    const own = requestsOf(context, hook, work, record);
    expect(own.length).toBeGreaterThan(0);
    // Every other request is about the job by which is found out where jobs are visible.
    const others = hook.delivered.filter((request) => !own.includes(request));
    expect(others.some((request) => mentions(request, [textAt(work.id, "value")]))).toBe(false);
    expect(requestsOf(context, hook, { ...work, id: context.setup.requestId() })).toEqual([]);
    expect(await untilDelivered(context, hook, endpoint, work)).toBe(true);
  },
);

test("what comes nowhere is not delivered", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ patience: { deliveryMs: 30 } }) });
  const hook = (await context.run.receiver()).hook();
  const { endpoint } = await createEndpoint(context, hook.url, { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_FAILED"] });
  expect(await untilDelivered(context, hook, endpoint, await finishedWork(context))).toBe(false);
});

test("what has come is delivered, though no record says so", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ patience: { deliveryMs: 300 } }) });
  const hook = (await context.run.receiver()).hook();
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const unlisted = { ...endpoint, id: context.setup.requestId() };
  expect(await untilDelivered(context, hook, unlisted, await finishedWork(context))).toBe(true);
});

test("what is not recorded within patience is not found", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ patience: { deliveryMs: 30 } }) });
  const hook = (await context.run.receiver()).hook();
  const { endpoint } = await createEndpoint(context, hook.url, {
    eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_FAILED"],
  });
  expect(await untilRecorded(context, hook, endpoint, await finishedWork(context), isSettled)).toBeUndefined();
});

const lists = "alpha.v1.WebhookService/ListWebhookDeliveries";
const withoutJobs = replying(lists, (json) => {
  const deliveries = Array.isArray(json.deliveries) ? (json.deliveries as JsonObject[]) : [];
  return { ...json, deliveries: deliveries.map(({ jobId: _job, ...others }) => others) };
});

test("a record that names no work is not waited for until patience ends", async () => {
  const { context, asked } = await openCase("alpha.v1", { decoration: withoutJobs });
  const hook = (await context.run.receiver()).hook();
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const work = await finishedWork(context);
  const looks: boolean[] = [];
  const fits = (record: JsonObject) => looks.push(isSettled(record)) > 0 && isSettled(record);
  expect(await untilRecorded(context, hook, endpoint, work, fits)).toBeUndefined();
  const listed = asked.filter(({ rpc }) => rpc === lists).length;
  // Two looks at what is settled, and those that it took to be settled: not all that ten seconds allow.
  expect(looks.filter((settled) => settled).length).toBeGreaterThanOrEqual(2);
  expect(listed).toBeLessThan(12);
});

test("a record is told to be about some work by the request that names both, if it names no other itself", async () => {
  const { context } = await openCase("alpha.v1");
  const { hook, work, record } = await settledDelivery(context);
  const { jobId, ...unlinked } = record;
  expect(unlinkedRecord(context, hook, work, [record, unlinked])).toBe(unlinked);
  expect(unlinkedRecord(context, hook, work, [{ ...unlinked, jobId: record.endpointId ?? null }])).toBeUndefined();
  expect(unlinkedRecord(context, hook, { ...work, id: context.setup.requestId() }, [unlinked])).toBeUndefined();
  const stranger = { ...unlinked, id: context.setup.requestId(), eventId: context.setup.requestId() };
  expect(unlinkedRecord(context, hook, work, [stranger])).toBeUndefined();
  expect(jobId).toEqual(work.id);
});
