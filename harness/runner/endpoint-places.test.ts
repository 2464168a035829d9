import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { checkTarget } from "../target/load.ts";
import type { Reply } from "../wire/reply.ts";
import { createEndpointPlaces } from "./endpoint-places.ts";

const creates = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");
const deletes = rpc("alpha.v1.WebhookService/DeleteWebhookEndpoint");

const open = (endpoints: number | undefined, settleMs = 30_000) =>
  createEndpointPlaces(
    checkTarget(
      { alpha: { baseUrl: "http://localhost:1" }, patience: { settleMs }, ...(endpoints && { limits: { endpoints } }) },
      "a test",
    ),
  );

const own: JsonObject = { workspaceId: { value: "one" } };
const calling = (requestId: string): JsonObject => ({ ...own, requestId: { value: requestId } });
const made = (id: string) =>
  ({ outcome: "served", row: creates, request: own, json: { endpoint: { id: { value: id } } } }) as unknown as Reply;
const gone = { outcome: "served", row: deletes } as unknown as Reply;

test("another endpoint waits until one of those there may be is deleted", async () => {
  const places = open(1);
  (await places.take(creates, own))(made("a"));
  let isTaken = false;
  const next = places.take(creates, own).then((tell) => {
    isTaken = true;
    return tell;
  });
  (await places.take(deletes, { ...own, endpointId: { value: "b" } }))(gone);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isTaken).toBe(false);
  (await places.take(deletes, { ...own, endpointId: { value: "a" } }))(gone);
  (await next)(undefined);
  expect(isTaken).toBe(true);
});

test("a refused creation, a replay and another tenant's take no place", async () => {
  const places = open(2);
  (await places.take(creates, own))(undefined);
  (await places.take(creates, own))(made("a"));
  (await places.take(creates, own))(made("a"));
  (await places.take(creates, { workspaceId: { value: "other" } }))(made("b"));
  (await places.take(creates, own))(made("c"));
  expect(await Promise.race([places.take(creates, own), "it waits"])).toBe("it waits");
});

test("where none comes free of those the target file allows, the case is not exercised", async () => {
  const places = open(1, 20);
  (await places.take(creates, own))(made("a"));
  await expect(places.take(creates, own)).rejects.toThrow("needs a higher limits.endpoints");
});

test("other calls never wait", async () => {
  const places = open(1);
  (await places.take(creates, own))(made("a"));
  await places.take(rpc("alpha.v1.SecretService/CreateSecret"), own);
  await places.take(rpc("alpha.v1.WebhookService/ListWebhookEndpoints"), own);
});

test("a call and its replays wait for one place, and have one", async () => {
  const places = open(1);
  const told = await Promise.all(["a", "a", "a"].map((id) => places.take(creates, calling(id))));
  const next = places.take(creates, calling("b"));
  for (const tell of told) tell(undefined);
  (await next)(undefined);
});

test("where the target file allows no number, cases that wait for each other's go on with more", async () => {
  const places = open(undefined);
  for (let n = 0; n < 20; n += 1) (await places.take(creates, own))(made(`${n}`));
  const before = performance.now();
  (await places.take(creates, own))(made("one more"));
  expect(performance.now() - before).toBeGreaterThan(100);
});
