import { expect, test } from "vitest";
import { collect, startClient } from "../test-client.ts";

const service = "PublicTestFixtureService";

test("fixtures are served on the test URL only, the other services on both", async () => {
  const client = await startClient();
  expect((await client.call(`${service}/RunSync`, { input: "hello" })).status).toBe(404);
  const served = await client.call(`${service}/RunSync`, { input: "hello" }, { test: true });
  expect(served.json).toEqual({ output: "result of hello" });
  await client.call("SecretService/CreateSecret", { name: "a" }, { test: true });
  expect((await client.call("SecretService/ListSecrets")).json.secrets).toHaveLength(1);
});

test("a stream counts its messages from one, a failing one ends in an error", async () => {
  const client = await startClient();
  const messages = await collect(client.stream(`${service}/RunStream`, { input: "stream" }, { test: true }));
  expect(messages.map((message) => message.sequence)).toEqual([1, 2, 3, 4, 5, 6, undefined]);
  const [first, end] = await collect(client.stream(`${service}/RunStream`, { input: "fail" }, { test: true }));
  expect(first).toHaveProperty("sequence", 1);
  expect(end).toHaveProperty("end.error.code", "failed_precondition");
  expect((await client.call(`${service}/RunSync`, { input: "fail" }, { test: true })).reason).toBe(
    "FAILED_PRECONDITION",
  );
});

test("a slow stream goes on until its caller leaves", async () => {
  const client = await startClient();
  const leaving = new AbortController();
  const stream = client.stream(`${service}/RunStream`, { input: "slow" }, { test: true, signal: leaving.signal });
  expect((await stream.next()).value).toHaveProperty("sequence", 1);
  leaving.abort();
  await expect(collect(stream)).rejects.toThrow();
  await client.reference.close();
});

test("inputs must be there and be the workspace's own", async () => {
  const client = await startClient();
  const nobody = client.workspaceId;
  for (const fields of [{ secretIds: [nobody] }, { inputArtifactIds: [nobody] }]) {
    const answer = await client.call(`${service}/RunAsync`, { input: "a", ...fields }, { test: true });
    expect(answer.reason).toBe("RESOURCE_NOT_FOUND");
  }
  const { json } = await client.call("SecretService/CreateSecret", { name: "a", value: "c2VjcmV0" });
  const secretIds = [json.secret?.id];
  const answer = await client.call(`${service}/RunSync`, { input: "a", secretIds }, { test: true });
  expect(answer.json).toEqual({ output: "result of a" });
});

test("limits refuse with their reasons when they are on", async () => {
  const choices = { meteredQuota: 1, maximumUnfinishedJobs: 1, rateLimit: { calls: 4, windowMs: 60_000 } };
  const client = await startClient({ decoration: { choices } });
  const sync = () => client.call(`${service}/RunSync`, { input: "a" }, { test: true });
  expect((await sync()).status).toBe(200);
  expect([(await sync()).reason, (await sync()).reason, (await sync()).reason]).toEqual([
    "QUOTA_EXHAUSTED",
    "QUOTA_EXHAUSTED",
    "QUOTA_EXHAUSTED",
  ]);
  const limited = await sync();
  expect([limited.reason, limited.json.details?.[0]?.debug?.retryAfterSeconds]).toEqual(["RATE_LIMITED", 60]);

  const busy = await startClient({ decoration: { choices: { maximumUnfinishedJobs: 1 } } });
  const slow = () => busy.call(`${service}/RunAsync`, { input: "slow" }, { test: true });
  expect([(await slow()).status, (await slow()).reason]).toEqual([200, "CONCURRENCY_EXHAUSTED"]);
  const blocked = await startClient({ decoration: { choices: { billingBlocked: true } } });
  expect((await blocked.call(`${service}/RunSync`, { input: "a" }, { test: true })).reason).toBe("BILLING_BLOCKED");
  const failing = await startClient({ decoration: { choices: { dependencyFailsEvery: 2 } } });
  const list = () => failing.call("SecretService/ListSecrets");
  expect([(await list()).status, (await list()).reason]).toEqual([200, "DEPENDENCY_UNAVAILABLE"]);
});
