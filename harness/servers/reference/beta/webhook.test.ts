import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { eventually, type Json, receive, text } from "../test-client.ts";
import { type BetaClient, startBetaClient } from "./test-client.ts";

const all = ["RUN_STATE_CHANGED", "RUN_COMPLETED", "RUN_FAILED", "RUN_OUTCOME_UNKNOWN", "APPROVAL_REQUIRED"];

const named = (types: readonly string[]) => types.map((type) => `WEBHOOK_EVENT_TYPE_${type}`);

const create = async (client: BetaClient, url: string, types = all) =>
  (await client.call("WebhookService/CreateWebhookEndpoint", { url, eventTypes: named(types) })).json;

const deliveries = async (client: BetaClient, webhookEndpointId?: Json) => {
  const { json } = await client.call("WebhookService/ListWebhookDeliveries", { webhookEndpointId });
  return Array.from((json.webhookDeliveries ?? []) as unknown as Json[]);
};

const settled = (client: BetaClient, id: Json | undefined) =>
  eventually(
    () => deliveries(client, id),
    (found) => found.length > 0 && found.every(({ state }) => !text(state).endsWith("PENDING")),
  );

const count = (found: readonly Json[], type: string) =>
  found.filter(({ eventType }) => text(eventType) === `WEBHOOK_EVENT_TYPE_${type}`).length;

test("each endpoint gets the events of its types, signed, about their run or approval", async () => {
  const { received, url } = await receive(200);
  const client = await startBetaClient();
  const { webhookEndpoint, signingSecret } = await create(client, url);
  const completed = (await create(client, url, ["RUN_COMPLETED"])).webhookEndpoint?.webhookEndpointId as Json;
  const owner = await client.user();
  await client.reach(await client.run(owner, "complete"), "SUCCEEDED");
  await client.reach(await client.run(owner, "fail"), "FAILED");
  await client.reach(await client.run(owner, "unknown"), "OUTCOME_UNKNOWN");
  await client.reach(await client.run(owner, "approval"), "AWAITING_APPROVAL");
  const found = await settled(client, webhookEndpoint?.webhookEndpointId);
  expect(all.map((type) => count(found, type))).toEqual([14, 1, 1, 1, 1]);
  expect(found[0]).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_DELIVERED", attemptCount: 1, eventVersion: 1 });
  expect(await settled(client, completed)).toHaveLength(1);

  const { json } = await client.call("ApprovalService/ListApprovals", { customerUserId: owner.customerUserId }, owner);
  const about = found.find(({ eventType }) => text(eventType).endsWith("APPROVAL_REQUIRED"));
  expect(about?.subjectId).toEqual(json.approvals?.[0]?.approvalId);
  const sent = received.find(({ headers }) => headers["webhook-id"] === text(about?.eventId?.value));
  const key = Buffer.from(text(signingSecret).replace("whsec_", ""), "base64");
  const signed = `${sent?.headers["webhook-id"]}.${sent?.headers["webhook-timestamp"]}.${sent?.body}`;
  expect(sent?.headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  expect(JSON.parse(sent?.body ?? "")).toMatchObject({ subjectId: text(about?.subjectId?.value), eventVersion: 1 });
});

test("an endpoint is updated, rotated and deleted, and a delivery sent again", async () => {
  const { received, url } = await receive(500, 500, 500, 500, 200);
  const client = await startBetaClient({ decoration: { choices: { deliveryPausesMs: [1, 1, 1] } } });
  const { webhookEndpoint } = await create(client, url, ["RUN_COMPLETED"]);
  const { webhookEndpointId } = webhookEndpoint ?? {};
  await client.reach(await client.run(await client.user(), "complete"), "SUCCEEDED");
  const [failed] = await settled(client, webhookEndpointId);
  expect(failed).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_FAILED", attemptCount: 4 });
  const again = await client.call("WebhookService/RedeliverWebhookDelivery", {
    webhookDeliveryId: failed?.webhookDeliveryId,
    expectedResourceVersion: failed?.resourceVersion,
  });
  expect(again.json.webhookDelivery).toMatchObject({
    state: "WEBHOOK_DELIVERY_STATE_PENDING",
    eventId: failed?.eventId,
  });
  const [delivered] = await settled(client, webhookEndpointId);
  expect(delivered).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_DELIVERED", attemptCount: 5 });
  expect(received).toHaveLength(5);

  const on = (expectedResourceVersion: string, more = {}) => ({ webhookEndpointId, expectedResourceVersion, ...more });
  const change = { url: "https://other.invalid/", eventTypes: named(["RUN_FAILED"]), enabled: false };
  const updated = (await client.call("WebhookService/UpdateWebhookEndpoint", on("1", change))).json.webhookEndpoint;
  expect(updated).toMatchObject({ url: change.url, eventTypes: change.eventTypes, resourceVersion: "2" });
  expect(updated?.enabled).toBeUndefined();
  const rotated = await client.call("WebhookService/RotateWebhookSecret", on("2"));
  expect(rotated.json).toMatchObject({ signingSecret: expect.any(String), webhookEndpoint: { resourceVersion: "3" } });
  const deleted = await client.call("WebhookService/DeleteWebhookEndpoint", on("3"));
  expect(deleted.json.webhookEndpoint).toMatchObject({ webhookEndpointId, resourceVersion: "4" });
  expect((await client.call("WebhookService/GetWebhookEndpoint", { webhookEndpointId })).reason).toBe(
    "RESOURCE_NOT_FOUND",
  );
});

test.each([
  ["ftp://127.0.0.1/", named(all)],
  ["https://a.invalid/", []],
  ["https://a.invalid/", named(["UNSPECIFIED"])],
])("%j with %j is no endpoint", async (url, eventTypes) => {
  const client = await startBetaClient();
  const made = await client.call("WebhookService/CreateWebhookEndpoint", { url, eventTypes });
  expect(made.reason).toBe("INVALID_ARGUMENT");
});
