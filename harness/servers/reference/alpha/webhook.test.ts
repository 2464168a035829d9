import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { eventually, type Json, type Received, receive, startClient, type TestClient, text } from "../test-client.ts";

const create = (client: TestClient, url: string) =>
  client.call("WebhookService/CreateWebhookEndpoint", { name: "hook", url });

const runJob = (client: TestClient) => client.call("PublicTestFixtureService/RunAsync", { input: "a" }, { test: true });

const deliveries = async (client: TestClient, endpointId?: Json) => {
  const filter = endpointId === undefined ? {} : { endpointId: endpointId };
  const { json } = await client.call("WebhookService/ListWebhookDeliveries", filter);
  return Array.from((json.deliveries ?? []) as unknown as Json[]);
};

const settled = (client: TestClient, state: string) =>
  eventually(
    () => deliveries(client),
    ([delivery]) => text(delivery?.state) === `WEBHOOK_DELIVERY_STATE_${state}`,
  ).then(([delivery]) => delivery as Json);

function signature(secret: Json | undefined, { headers, body }: Received): string {
  const key = Buffer.from(text(secret).replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("a job's end is delivered, signed, and recorded; a redelivery repeats the event", async () => {
  const { received, url } = await receive(200);
  const client = await startClient();
  const { json } = await create(client, url);
  const { json: started } = await runJob(client);
  const delivery = await settled(client, "DELIVERED");
  expect(delivery).toMatchObject({
    endpointId: json.endpoint?.id,
    jobId: started.job?.id,
    attemptCount: 1,
    lastStatusCode: 200,
    deliveredAt: expect.any(String),
  });
  const [first] = received as [Received];
  expect(first.headers["webhook-signature"]).toBe(signature(json.signingSecret, first));
  expect(JSON.parse(first.body)).toMatchObject({
    type: "job.succeeded",
    eventId: text(delivery.eventId?.value),
    jobId: text(started.job?.id?.value),
  });

  const request = { deliveryId: delivery.id, expectedResourceVersion: text(delivery.resourceVersion) };
  const again = await client.call("WebhookService/RedeliverWebhookDelivery", request);
  expect(again.json.delivery).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_PENDING" });
  const repeated = await settled(client, "DELIVERED");
  expect(repeated).toMatchObject({ attemptCount: 2, eventId: delivery.eventId });
  expect(received[1]?.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
});

test("a failed attempt is followed by others, until it works or they are used up", async () => {
  const { url } = await receive(500, 500, 200);
  const client = await startClient({ decoration: { choices: { deliveryPausesMs: [250, 20] } } });
  await create(client, url);
  await runJob(client);
  const waiting = await eventually(
    () => deliveries(client),
    ([delivery]) => text(delivery?.lastStatusCode) === "500",
  );
  expect(waiting[0]).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_PENDING", nextAttemptAt: expect.any(String) });
  expect(await settled(client, "DELIVERED")).toMatchObject({ attemptCount: 3, lastStatusCode: 200 });

  const hopeless = await startClient({ decoration: { choices: { deliveryPausesMs: [1, 1] } } });
  await create(hopeless, "http://127.0.0.1:9/");
  await runJob(hopeless);
  const failed = await settled(hopeless, "FAILED");
  expect(failed).toMatchObject({ attemptCount: 3 });
  expect([failed.lastStatusCode, failed.nextAttemptAt]).toEqual([undefined, undefined]);
});

test("after a rotation both secrets sign; a disabled endpoint gets nothing; a deleted one's deliveries are canceled", async () => {
  const { received, url } = await receive(200);
  const client = await startClient();
  const { json: made } = await create(client, url);
  const endpointId = made.endpoint?.id;
  const { json: rotated } = await client.call("WebhookService/RotateWebhookSecret", {
    endpointId,
    expectedResourceVersion: "1",
  });
  expect(Date.parse(text(rotated.previousSecretExpiresAt))).toBeGreaterThan(Date.now());
  await runJob(client);
  await settled(client, "DELIVERED");
  const [first] = received as [Received];
  expect(first.headers["webhook-signature"]?.toString().split(" ")).toEqual([
    signature(rotated.signingSecret, first),
    signature(made.signingSecret, first),
  ]);

  const update = {
    endpointId,
    expectedResourceVersion: "2",
    name: "renamed",
    url: "http://127.0.0.1:9/",
    enabled: false,
  };
  const updated = await client.call("WebhookService/UpdateWebhookEndpoint", update);
  expect(updated.json.endpoint).toMatchObject({ name: "renamed", url: "http://127.0.0.1:9/", resourceVersion: "3" });
  expect(updated.json.endpoint?.enabled).toBeUndefined();
  const { json: other } = await create(client, "http://127.0.0.1:9/");
  await runJob(client);
  await eventually(
    () => deliveries(client, other.endpoint?.id),
    (found) => found.length === 1,
  );
  expect(await deliveries(client, endpointId)).toHaveLength(1);
  const deleted = { endpointId: other.endpoint?.id, expectedResourceVersion: "1" };
  await client.call("WebhookService/DeleteWebhookEndpoint", deleted);
  const [canceled] = await deliveries(client, other.endpoint?.id);
  expect(canceled).toMatchObject({ state: "WEBHOOK_DELIVERY_STATE_CANCELED" });
});

test.each(["ftp://127.0.0.1/", "nonsense", ""])("%j is no url for an endpoint", async (url) => {
  const client = await startClient();
  expect((await create(client, url)).reason).toBe("INVALID_ARGUMENT");
});
