import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import { isSettled } from "../wire/states.ts";
import { changing, openCase, replying, seen } from "./case.testing.ts";
import { deliveryFields } from "./delivery-record.ts";
import { requestsOf } from "./webhook-arrival.ts";
import {
  createDeliveries,
  createDelivery,
  finishedWork,
  redeliveryRequest,
  settledDelivery,
} from "./webhook-delivery.ts";

const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];

test.each(packages)(
  "%s: deliveries are settled, all of one endpoint, which goes when the case is over",
  async (name) => {
    const { context, end } = await openCase(name);
    const deliveries = await createDeliveries(context, 2);
    expect(deliveries).toHaveLength(2);
    expect(new Set(deliveries.map(({ within }) => JSON.stringify(within))).size).toBe(1);
    for (const one of deliveries) {
      expect(isSettled(one.record)).toBe(true);
      expect(await seen(context, one)).toEqual(one.record);
    }
    expect(await end()).toEqual([]);
    const { setup } = context;
    const within = Object.values(deliveries[0]?.within ?? {});
    const endpoint = {
      kind: "webhook_endpoint",
      id: within[0] ?? null,
      record: {},
      version: "0",
      changesOnlyByMutation: true,
    };
    expect(await setup.current(endpoint)).toBeUndefined();
  },
);

test("the endpoint of those that are listed is disabled afterwards", async () => {
  const { context } = await openCase("alpha.v1");
  const [delivery] = await createDeliveries(context, 1);
  const { endpointId = null } = delivery?.within ?? {};
  const reply = await context.call("alpha.v1.WebhookService/GetWebhookEndpoint", {
    ...context.setup.tenant(),
    endpointId,
  });
  expect(context.setup.subjectIn(reply).record.enabled ?? false).toBe(false);
});

test("without a receiver none comes", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ webhooks: undefined }) });
  await expect(createDelivery(context)).rejects.toThrow("needs webhooks in the target file");
});

test("where none is listed in time the case is unproven", async () => {
  const decoration = { parts: () => ({ postDelivery: () => new Promise<number>(() => undefined) }) };
  const target = changing({ patience: { deliveryMs: 50 } });
  const { context } = await openCase("alpha.v1", { decoration, target });
  await expect(createDelivery(context)).rejects.toThrow("needs a settled webhook delivery for a finished job");
  await expect(settledDelivery(context)).rejects.toThrow("needs a settled webhook delivery for a finished job");
});

test.each(packages)("%s: a settled delivery comes with its hook and its work, and can be sent again", async (name) => {
  const { context } = await openCase(name);
  const { hook, work, record } = await settledDelivery(context);
  expect(record[deliveryFields(context).about]).toEqual(work.id);
  expect(requestsOf(context, hook, work, record)).toHaveLength(1);
  const redeliver = rpc(`${name}.WebhookService/RedeliverWebhookDelivery`);
  const request = await redeliveryRequest(context, record, String(record.resourceVersion));
  expect((await context.call(redeliver, request)).outcome).toBe("served");
});

test.each([
  ["alpha.v1", "job"],
  ["beta.v1", "run"],
] as const)("%s: the work that finishes is a %s", async (name, kind) => {
  const { context } = await openCase(name);
  expect(await finishedWork(context)).toMatchObject({ kind, changesOnlyByMutation: true });
});

const lists = "alpha.v1.WebhookService/ListWebhookDeliveries";

test("what three cases waited for in vain the others do not wait for", async () => {
  const decoration = replying(lists, () => ({}));
  const target = changing({ patience: { deliveryMs: 50 } });
  const { context, asked } = await openCase("alpha.v1", { decoration, target });
  for (let nth = 0; nth < 3; nth += 1) {
    await expect(createDelivery(context)).rejects.toThrow("none came to be listed");
  }
  const before = asked.length;
  await expect(createDelivery(context)).rejects.toThrow("waited for in vain 3 times in a row, and not again");
  await expect(settledDelivery(context)).rejects.toThrow("waited for in vain 3 times in a row, and not again");
  expect(asked).toHaveLength(before);
});

test.each([
  ["JOB_STATE_SUCCEEDED", /none came to be listed$/],
  ["JOB_STATE_FAILED", /none came to be listed, of work that ended as JOB_STATE_FAILED$/],
])("where none comes of a job that is %s, that is said only if it did not succeed", async (state, said) => {
  const decoration = {
    reply(json: JsonObject, call: { readonly rpc: string }) {
      if (call.rpc === lists) return {};
      return "job" in json ? { ...json, job: { ...(json.job as JsonObject), state } } : json;
    },
  };
  const target = changing({ patience: { deliveryMs: 50 } });
  const { context } = await openCase("alpha.v1", { decoration, target });
  await expect(createDelivery(context)).rejects.toThrow(said);
  await expect(settledDelivery(context)).rejects.toThrow(said);
});

test("a delivery that does not name its work serves cases that are not about that", async () => {
  const decoration = replying(lists, (json) => {
    const deliveries = Array.isArray(json.deliveries) ? (json.deliveries as JsonObject[]) : [];
    return { ...json, deliveries: deliveries.map(({ jobId: _job, ...others }) => others) };
  });
  const { context } = await openCase("alpha.v1", { decoration });
  const deliveries = await createDeliveries(context, 2);
  expect(new Set(deliveries.map(({ id }) => JSON.stringify(id))).size).toBe(2);
  await expect(settledDelivery(context)).rejects.toThrow("none came to be listed");
});
