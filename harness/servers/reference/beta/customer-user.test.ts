import { expect, test } from "vitest";
import { freshId, type Json, text } from "../test-client.ts";
import { startBetaClient } from "./test-client.ts";

const service = "CustomerUserService";

test("a grant is created, read, updated, revoked and deleted, each change at its version", async () => {
  const client = await startBetaClient();
  const created = await client.grant({ externalUserId: "ada" });
  expect(created).toMatchObject({ externalUserId: "ada", resourceVersion: "1", createdAt: expect.any(String) });
  expect(created.revokedAt).toBeUndefined();
  const { customerUserId } = created;
  const again = await client.call(`${service}/CreateCustomerUserGrant`, {
    externalUserId: "ada",
    attributesJson: "e30=",
  });
  expect(again.reason).toBe("FAILED_PRECONDITION");

  // Between whole seconds, whose fraction JSON leaves out.
  const expiresAt = new Date(Math.trunc(Date.now() / 1000 + 3600) * 1000 + 500).toISOString();
  const update = {
    customerUserId,
    expectedResourceVersion: "1",
    attributesJson: Buffer.from('{"plan":"gold"}').toString("base64"),
    registeredOrigins: ["http://127.0.0.1:8080"],
    allowedBrowserTokenScopes: ["runs:read"],
    expiresAt,
  };
  const { json } = await client.call(`${service}/UpdateCustomerUserGrant`, update);
  expect(json.customerUserGrant).toMatchObject({
    attributesJson: update.attributesJson,
    registeredOrigins: update.registeredOrigins,
    allowedBrowserTokenScopes: ["runs:read"],
    expiresAt,
    resourceVersion: "2",
  });
  expect(json.customerUserGrant?.allowedToolIds).toBeUndefined();

  const at = (expectedResourceVersion: string) => ({ customerUserId, expectedResourceVersion });
  const revoked = await client.call(`${service}/RevokeCustomerUserGrant`, at("2"));
  expect(revoked.json.customerUserGrant).toMatchObject({ revokedAt: expect.any(String), resourceVersion: "3" });
  expect((await client.call(`${service}/RevokeCustomerUserGrant`, at("3"))).reason).toBe("FAILED_PRECONDITION");
  const blocked = await client.call("SessionService/CreateSession", {
    customerUserId,
    appVersionId: client.appVersionId,
  });
  expect(blocked.reason).toBe("FAILED_PRECONDITION");

  expect((await client.call(`${service}/DeleteCustomerUser`, at("2"))).reason).toBe("RESOURCE_VERSION_CONFLICT");
  const deleted = await client.call(`${service}/DeleteCustomerUser`, at("3"));
  expect(deleted.json).toEqual({ customerUserId, deletionResourceVersion: "4" });
  const gone = await client.call(`${service}/GetCustomerUserGrant`, { externalUserId: "ada" });
  expect(gone.reason).toBe("RESOURCE_NOT_FOUND");
  expect((await client.grant({ externalUserId: "ada" })).customerUserId).not.toEqual(customerUserId);
});

test("deleting a user ends its runs and takes all it had", async () => {
  const client = await startBetaClient();
  const { customerUserId, sessionId } = await client.user();
  const run = await client.run({ customerUserId, sessionId }, "slow");
  await client.reach(run, "RUNNING");
  const watch = client.stream("RunService/WatchRun", { customerUserId, runId: run.runId });
  const states = [text((await watch.next()).value.event?.state)];
  await client.call(`${service}/DeleteCustomerUser`, { customerUserId, expectedResourceVersion: "1" });
  for await (const { event } of watch) if (event !== undefined) states.push(text(event.state));
  expect(states.at(-1)).toBe("RUN_STATE_CANCELED");
  for (const name of ["SessionService/ListSessions", "MemoryService/GetMemorySettings", "RunService/ListRuns"]) {
    expect((await client.call(name, { customerUserId })).reason).toBe("RESOURCE_NOT_FOUND");
  }
});

test("attributes are JSON, origins and scopes have their forms, an expiry is to come", async () => {
  const client = await startBetaClient();
  const create = async (fields: object) =>
    (await client.call(`${service}/CreateCustomerUserGrant`, { externalUserId: "x", ...fields })).json.details?.[0]
      ?.debug?.fieldViolations?.[0]?.field as unknown;
  expect(await create({ attributesJson: "eyI=" })).toBe("attributesJson");
  expect(await create({ registeredOrigins: ["app.example.com"] })).toBe("registeredOrigins");
  expect(await create({ allowedBrowserTokenScopes: ["everything"] })).toBe("allowedBrowserTokenScopes");
  expect(await create({ expiresAt: "2001-01-01T00:00:00Z" })).toBe("expiresAt");
  expect(await create({ allowedBrowserTokenScopes: ["oauth:login:complete"] })).toBeUndefined();
});

test("plaintext comes once: of equal requests, at once and later, by this key and another", async () => {
  const client = await startBetaClient();
  const { customerUserId } = await client.user();
  const request = { requestId: freshId(), customerUserId, scopes: ["runs:read"], lifetimeSeconds: 60 };
  const issue = (token?: string) =>
    client.call(`${service}/IssueBrowserToken`, request, token === undefined ? {} : { token });
  const answers = await Promise.all(Array.from({ length: 8 }, () => issue()));
  answers.push(await issue());
  expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
  expect(answers.filter(({ json }) => json.token !== undefined)).toHaveLength(1);
  expect(new Set(answers.map(({ json }) => text(json.expiresAt as Json))).size).toBe(1);
  const { limited } = client.reference.facts.backendKeys;
  const other = limited.find(({ scopes }) => scopes.length === 1 && scopes[0] === "tokens:issue");
  expect((await issue(other?.token)).reason).toBe("IDEMPOTENCY_CONFLICT");
});
