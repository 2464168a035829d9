import { describe, expect, test } from "vitest";
import { createManualClock } from "../main.ts";
import { collect, eventually, type Fields, freshId, type Json, text } from "../test-client.ts";
import type { BetaChoices } from "./choices.ts";
import { type BetaClient, own, startBetaClient } from "./test-client.ts";

const start = (choices: Partial<BetaChoices>) => startBetaClient({ decoration: { choices } });

const users = "CustomerUserService";

describe("names and grants", () => {
  test("an external user's grant is returned again, forms are free, long names refused", async () => {
    const client = await start({ existingExternalUser: "return existing", grantForms: "free", maximumNameLength: 5 });
    const grant = await client.grant({ externalUserId: "ada", registeredOrigins: ["anything"] });
    expect(await client.grant({ externalUserId: "ada" })).toEqual(grant);
    const long = await client.call(`${users}/CreateCustomerUserGrant`, { externalUserId: "adalbert" });
    expect(long.reason).toBe("INVALID_ARGUMENT");
  });

  test("an empty field of an update keeps what was", async () => {
    const client = await start({ emptyUpdateField: "keep" });
    const { customerUserId, attributesJson } = await client.grant();
    const update = { customerUserId, expectedResourceVersion: "1" };
    const { json } = await client.call(`${users}/UpdateCustomerUserGrant`, update);
    expect(json.customerUserGrant?.attributesJson).toBe(attributesJson);
    const made = await client.call("WebhookService/CreateWebhookEndpoint", {
      url: "https://a.invalid/",
      eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_FAILED"],
    });
    const { webhookEndpointId, url, eventTypes } = made.json.webhookEndpoint ?? {};
    const kept = await client.call("WebhookService/UpdateWebhookEndpoint", {
      webhookEndpointId,
      expectedResourceVersion: "1",
    });
    expect(kept.json.webhookEndpoint).toMatchObject({ url, eventTypes });
  });

  test("a revoked grant is revoked again without change, and goes on", async () => {
    const client = await start({ revokedAgain: "unchanged", endedGrantBlocks: false, revocationEndsTokens: false });
    const { customerUserId, token } = await client.user();
    const revoke = (expectedResourceVersion: string) =>
      client.call(`${users}/RevokeCustomerUserGrant`, { customerUserId, expectedResourceVersion });
    const first = await revoke("1");
    expect((await revoke("2")).json).toEqual(first.json);
    const session = { customerUserId, appVersionId: client.appVersionId };
    expect((await client.call("SessionService/CreateSession", session, { token })).status).toBe(200);
  });
});

describe("browser tokens", () => {
  const issue = (client: BetaClient, { customerUserId }: Json, fields: Fields) =>
    client.call(`${users}/IssueBrowserToken`, { customerUserId, scopes: ["runs:read"], ...fields });

  test("what is asked for beyond the grant is cut off, or allowed", async () => {
    const client = await start({ excessScopes: "narrow", excessBounds: "narrow", originEnforced: "always" });
    const grant = await client.grant({ allowedBrowserTokenScopes: ["runs:read"] });
    const scopes = ["runs:read", "runs:write"];
    const origins = [client.reference.facts.browserOrigin, "https://elsewhere.example:443"];
    const { json } = await issue(client, grant, { scopes, origins });
    const ask = async (name: string, headers = {}) =>
      (await client.call(name, { customerUserId: grant.customerUserId }, { token: text(json.token), headers })).reason;
    const origin = "https://app.example.com";
    expect(await ask("RunService/ListRuns", { origin })).toBeUndefined();
    expect(await ask("RunService/CreateRun", { origin })).toBe("AUTHORIZATION_DENIED");
    expect(await ask("RunService/ListRuns", { origin: "https://elsewhere.example" })).toBe("AUTHORIZATION_DENIED");
    expect(await ask("RunService/ListRuns")).toBe("AUTHORIZATION_DENIED");

    const open = await start({ excessBounds: "allow", originEnforced: "never" });
    expect((await issue(open, await open.grant(), { origins })).status).toBe(200);
  });

  test("lifetimes have a default and an end", async () => {
    const now = Date.now();
    const client = await startBetaClient({
      clock: createManualClock(now),
      decoration: { choices: { maximumTokenLifetimeSeconds: 60, defaultTokenLifetimeSeconds: 30 } },
    });
    const grant = await client.grant();
    const expiry = async (lifetimeSeconds: number) =>
      Date.parse(text((await issue(client, grant, { lifetimeSeconds })).json.expiresAt)) - now;
    expect([await expiry(0), await expiry(100)]).toEqual([30_000, 60_000]);
    const strict = await start({ longTokenLifetime: "refuse", maximumTokenLifetimeSeconds: 60 });
    expect((await issue(strict, await strict.grant(), { lifetimeSeconds: 100 })).reason).toBe("INVALID_ARGUMENT");
  });

  test("tokens outlive what happens to their grant", async () => {
    const clock = createManualClock(Date.now());
    const choices = { tokensEndWithGrant: false, grantExpiryEndsTokens: false, updateNarrowsTokens: false };
    const client = await startBetaClient({ clock, decoration: { choices } });
    const { customerUserId } = await client.grant({ expiresAt: new Date(clock.now() + 1000).toISOString() });
    const token = await client.token(customerUserId as Json);
    const update = { customerUserId, expectedResourceVersion: "1", attributesJson: "e30=" };
    await client.call(`${users}/UpdateCustomerUserGrant`, update);
    await clock.advance(2000);
    expect((await client.call("RunService/ListRuns", { customerUserId }, { token })).status).toBe(200);
  });

  test("a replay is refused; another key's is answered the same", async () => {
    const request = { requestId: freshId(), scopes: ["runs:read"] };
    const refusing = await start({ replayPlaintext: "refuse" });
    const theirs = { ...request, customerUserId: (await refusing.grant()).customerUserId };
    await refusing.call(`${users}/IssueBrowserToken`, theirs);
    expect((await refusing.call(`${users}/IssueBrowserToken`, theirs)).reason).toBe("IDEMPOTENCY_CONFLICT");

    const sharing = await start({ idempotencyAmong: "tenant, answering others" });
    const ours = { ...request, customerUserId: (await sharing.grant()).customerUserId };
    const first = await sharing.call(`${users}/IssueBrowserToken`, ours);
    const { token = "" } =
      sharing.reference.facts.backendKeys.limited.find(({ scopes }) => scopes.includes("tokens:issue")) ?? {};
    const again = await sharing.call(`${users}/IssueBrowserToken`, ours, { token });
    expect(again.json).toEqual({ expiresAt: first.json.expiresAt });
  });
});

test("another user, another tenant are answered as not found; deleted sessions are gone", async () => {
  const client = await start({
    foreignUserAnswer: "not-found",
    foreignWorkspaceAnswer: "not-found",
    deletedSession: "gone",
  });
  const one = await client.user();
  const other = await client.user();
  const list = (fields: Fields, token: string) => client.call("SessionService/ListSessions", fields, { token });
  expect((await list({ customerUserId: other.customerUserId }, one.token)).reason).toBe("RESOURCE_NOT_FOUND");
  const { appId } = client.reference.facts.secondTenant;
  const elsewhere = { customerUserId: one.customerUserId, appId: { value: appId } };
  expect((await list(elsewhere, one.token)).reason).toBe("RESOURCE_NOT_FOUND");
  const { customerUserId, sessionId } = one;
  await client.call("SessionService/DeleteSession", { customerUserId, sessionId, expectedResourceVersion: "1" });
  const read = await client.call("SessionService/GetSession", { customerUserId, sessionId });
  expect(read.reason).toBe("RESOURCE_NOT_FOUND");
});

describe("runs", () => {
  test("states on the way are left out; streams stay open", async () => {
    const client = await start({ runStates: "waiting", watchEndsAtTerminal: false });
    const run = await client.run(await client.user(), "complete");
    const leaving = new AbortController();
    const watch = client.stream("RunService/WatchRun", { ...own(run), runId: run.runId }, { signal: leaving.signal });
    const states = [await watch.next(), await watch.next()].map(({ value }) => text(value.event?.state));
    expect(states).toEqual(["RUN_STATE_QUEUED", "RUN_STATE_SUCCEEDED"]);
    const more = watch.next().then(
      () => "more",
      () => "left",
    );
    leaving.abort();
    expect(await more).toBe("left");
  });

  test("canceled at once; any version of the app; so many and no more", async () => {
    const client = await start({ cancellation: "at once", runVersion: "any", maximumUnfinishedRuns: 1 });
    const owner = await client.user();
    const run = await client.reach(await client.run(owner, "slow"), "RUNNING");
    const another = {
      customerUserId: owner.customerUserId,
      sessionId: owner.sessionId,
      appVersionId: { value: client.reference.facts.appVersionIds[1] },
      input: { text: "complete" },
    };
    expect((await client.call("RunService/CreateRun", another)).reason).toBe("CONCURRENCY_EXHAUSTED");
    const cancel = { ...own(run), runId: run.runId, expectedResourceVersion: run.resourceVersion };
    expect((await client.call("RunService/CancelRun", cancel)).json.run?.state).toBe("RUN_STATE_CANCELED");
    expect((await client.call("RunService/CreateRun", another)).status).toBe(200);
  });

  test("a run that only waits for its costs is not canceled", async () => {
    const client = await start({ cancelSettlingRun: "refuse", runStageMs: [80, 80] });
    const run = await client.run(await client.user(), "complete");
    const settling = await client.reach(run, "AWAITING_COST_EVIDENCE");
    const cancel = { ...own(run), runId: run.runId, expectedResourceVersion: settling.resourceVersion };
    expect((await client.call("RunService/CancelRun", cancel)).reason).toBe("FAILED_PRECONDITION");
  });

  test("without tools in the grant no tool is called; nothing remembered goes unsaid", async () => {
    const client = await start({ emptyToolList: "no tool", memoryWarnings: false });
    const { customerUserId } = await client.grant({ allowedToolIds: [] });
    const session = { customerUserId, appVersionId: client.appVersionId };
    const { sessionId } = (await client.call("SessionService/CreateSession", session)).json.session ?? {};
    const owner = { customerUserId: customerUserId as Json, sessionId: sessionId as Json };
    const failed = await client.reach(await client.run(owner, "tool"), "FAILED");
    expect(failed.error?.reason).toBe("ERROR_REASON_AUTHORIZATION_DENIED");
    await client.call("MemoryService/UpdateMemorySettings", { customerUserId, expectedResourceVersion: "1" });
    const run = await client.reach(await client.run(owner, "memory"), "SUCCEEDED");
    expect(run.memoryWarning).toBeUndefined();
  });
});

test("a run goes on without a rejected call; its decision may be sent again; links are for any run", async () => {
  const client = await start({
    rejectedApproval: "go on",
    decidedAgain: "unchanged",
    argumentDigest: "encoded payload",
    hostedLinkWithoutApproval: "issue",
  });
  const owner = await client.user();
  const { customerUserId } = owner;
  const run = await client.run(owner, "approval");
  const { json } = await eventually(
    () => client.call("ApprovalService/ListApprovals", { customerUserId }, owner),
    (answer) => answer.json.approvals !== undefined,
  );
  const { approvalId } = json.approvals?.[0] ?? {};
  const decide = (expectedResourceVersion: string) => {
    const decision = "APPROVAL_DECISION_REJECT";
    const request = { customerUserId, approvalId, expectedResourceVersion, decision };
    return client.call("ApprovalService/DecideApproval", request, owner);
  };
  const first = await decide("1");
  expect((await decide("2")).json).toEqual(first.json);
  const ended = await client.reach(run, "SUCCEEDED");
  const of = { customerUserId, runId: ended.runId };
  expect((await client.call("RunService/GetRunPayload", of)).json.payload?.toolCalls).toBeUndefined();
  const link = await client.call("HostedService/CreateHostedApprovalLink", of, owner);
  expect(await (await fetch(text(link.json.url))).text()).toContain("Nothing is waiting");
});

test("a login request may be completed again; an endpoint may want nothing, or everything", async () => {
  const client = await start({ completedAgain: "unchanged", emptyEventTypes: "everything", deliveryBody: "ids" });
  const [request] = client.reference.facts.oauthLoginRequests;
  const owner = await client.user();
  const complete = (expectedResourceVersion: string) =>
    client.call("OAuthHandoffService/CompleteOAuthLoginRequest", {
      oauthLoginRequestId: { value: request?.id },
      customerUserId: owner.customerUserId,
      expectedResourceVersion,
    });
  const first = await complete("1");
  expect((await complete("2")).json).toEqual(first.json);

  await client.call("WebhookService/CreateWebhookEndpoint", { url: "https://a.invalid/" });
  await client.reach(await client.run(owner, "complete"), "SUCCEEDED");
  expect((await client.call("WebhookService/ListWebhookDeliveries")).json.webhookDeliveries).toHaveLength(6);

  const none = await start({ emptyEventTypes: "nothing" });
  await none.call("WebhookService/CreateWebhookEndpoint", { url: "https://a.invalid/" });
  await none.reach(await none.run(await none.user(), "complete"), "SUCCEEDED");
  expect((await none.call("WebhookService/ListWebhookDeliveries")).json.webhookDeliveries).toBeUndefined();
});

test("reads are remembered, or need no requestId, where the choice is so", async () => {
  const free = await start({ readsNeedRequestId: false });
  expect((await free.call("WebhookService/ListWebhookEndpoints", { requestId: undefined })).status).toBe(200);
  const unnamed = await free.call(`${users}/CreateCustomerUserGrant`, { requestId: undefined, externalUserId: "a" });
  expect(unnamed.reason).toBe("INVALID_ARGUMENT");

  const client = await start({ remembersReads: true });
  const { customerUserId } = await client.user();
  const list = { requestId: freshId(), customerUserId };
  const before = await client.call("CustomerSecretService/ListSecrets", list);
  await client.call("CustomerSecretService/CreateSecret", { customerUserId, name: "a" });
  expect((await client.call("CustomerSecretService/ListSecrets", list)).json).toEqual(before.json);
});

test("artifacts, links and tickets live as long as they should", async () => {
  const clock = createManualClock(Date.now());
  const client = await startBetaClient({ clock, decoration: { choices: { artifactLifetimeMs: 5000 } } });
  const owner = await client.user();
  const run = await client.run(owner, "artifact");
  await clock.advance(1000);
  const of = own(run);
  const { artifactId } = (await client.call("PlatformService/ListArtifacts", of)).json.artifacts?.[0] ?? {};
  expect((await client.call("PlatformService/DownloadArtifact", { ...of, artifactId })).status).toBe(200);
  await clock.advance(5000);
  const late = await client.call("PlatformService/DownloadArtifact", { ...of, artifactId });
  expect(late.reason).toBe("FAILED_PRECONDITION");

  const waiting = await client.run(owner, "approval");
  await clock.advance(1000);
  const link = await client.call("HostedService/CreateHostedApprovalLink", { ...of, runId: waiting.runId }, owner);
  const visit = async () => (await fetch(text(link.json.url))).status;
  expect(await visit()).toBe(200);
  await clock.advance(600_000);
  expect(await visit()).toBe(404);
});

test("a browser token follows the text of its own user", async () => {
  const client = await start({ textPauseMs: 2 });
  const owner = await client.user();
  const run = await client.run(owner, "tool");
  const of = { ...own(run), runId: run.runId };
  const texts = await collect(client.stream("RunService/StreamRunText", of, owner));
  expect(texts.at(-1)).toEqual({ end: {} });
  expect(texts.length).toBeGreaterThan(10);
});
