import { describe, expect, test } from "vitest";
import { CredentialKind, rpcs } from "../../../../proto/rpcs.ts";
import { createManualClock } from "../main.ts";
import { collect, freshId, text } from "../test-client.ts";
import { type BetaClient, startBetaClient } from "./test-client.ts";

const beta = rpcs.filter((row) => row.package === "beta.v1");

async function reasonOf(client: BetaClient, row: (typeof beta)[number], token: string, fields = {}) {
  const name = `${row.service}/${row.method}`;
  if (!row.stream) return (await client.call(name, fields, { token })).reason;
  const [end] = await collect(client.stream(name, fields, { token }));
  const reason = end?.end?.error?.details?.[0]?.debug?.reason;
  return reason === undefined ? undefined : text(reason).replace("ERROR_REASON_", "");
}

const passed = ["INVALID_ARGUMENT", "RESOURCE_NOT_FOUND", "RESOURCE_VERSION_CONFLICT", undefined];

describe("credentials", () => {
  test("each kind reaches the RPCs whose rows list it, with the row's scope alone, and no other", async () => {
    const client = await startBetaClient();
    const { backendKeys, mcpTokens, idpUsers } = client.reference.facts;
    const { customerUserId } = await client.user();
    const browserTokens = new Map<string, string>();
    for (const { scope } of beta) browserTokens.set(scope, await client.token(customerUserId, [scope]));
    const tokens = (scope: string): readonly (readonly [CredentialKind, string | undefined])[] => [
      [
        CredentialKind.BACKEND_KEY,
        backendKeys.limited.find(({ scopes }) => scopes.length === 1 && scopes[0] === scope)?.token,
      ],
      [CredentialKind.BROWSER_TOKEN, browserTokens.get(scope)],
      [CredentialKind.MCP_OAUTH_TOKEN, mcpTokens.find(({ scopes }) => scopes.includes(scope))?.token],
      [CredentialKind.IDP_USER, idpUsers[0]?.token],
    ];
    for (const row of beta) {
      expect([row.name, await reasonOf(client, row, "nonsense")]).toEqual([row.name, "AUTHENTICATION_REQUIRED"]);
      for (const [kind, token] of tokens(row.scope)) {
        if (token === undefined) continue;
        const reason = await reasonOf(client, row, token, { customerUserId });
        if (row.credentials.includes(kind))
          expect([row.name, kind, passed.includes(reason)]).toEqual([row.name, kind, true]);
        else expect([row.name, kind, reason]).toEqual([row.name, kind, "AUTHORIZATION_DENIED"]);
      }
      const without = backendKeys.limited.find(({ scopes }) => scopes.length > 1 && !scopes.includes(row.scope));
      expect(await reasonOf(client, row, without?.token ?? "")).toBe("AUTHORIZATION_DENIED");
    }
  });

  test("an idpUser needs a permission, no scope; an mcpOAuthToken works on any run of its app", async () => {
    const client = await startBetaClient();
    const { idpUsers, mcpTokens } = client.reference.facts;
    const list = (token = "") => client.call("WebhookService/ListWebhookEndpoints", {}, { token });
    expect([(await list(idpUsers[0]?.token)).status, (await list(idpUsers[1]?.token)).reason]).toEqual([
      200,
      "AUTHORIZATION_DENIED",
    ]);
    const run = await client.run(await client.user(), "slow");
    const { customerUserId, runId } = run;
    const [both, reading, writing] = mcpTokens.map(({ token }) => ({ token }));
    expect((await client.call("RunService/GetRun", { customerUserId, runId }, reading)).status).toBe(200);
    expect((await client.call("RunService/GetRun", { customerUserId, runId }, writing)).reason).toBe(
      "AUTHORIZATION_DENIED",
    );
    const cancel = { customerUserId, runId, expectedResourceVersion: "0" };
    expect((await client.call("RunService/CancelRun", cancel, both)).reason).toBe("RESOURCE_VERSION_CONFLICT");
  });

  test("workspace, app and customer user are those of the credential and of the record", async () => {
    const client = await startBetaClient();
    const { secondTenant, stoppedApp, workspaceId } = client.reference.facts;
    const one = await client.user();
    const other = await client.user();
    const secret = { customerUserId: one.customerUserId, name: "a", plaintextValue: "AA==" };
    const { secretId } = (await client.call("CustomerSecretService/CreateSecret", secret)).json.secret ?? {};
    const get = (fields: object, token?: string) =>
      client.call("CustomerSecretService/GetSecret", { secretId, ...fields }, token === undefined ? {} : { token });
    expect((await get({ customerUserId: one.customerUserId })).status).toBe(200);
    expect((await get({ customerUserId: other.customerUserId })).reason).toBe("RESOURCE_NOT_FOUND");
    expect((await get({ customerUserId: one.customerUserId }, other.token)).reason).toBe("AUTHORIZATION_DENIED");
    for (const { workspaceId, appId, backendKey } of [secondTenant, stoppedApp]) {
      const theirs = { workspaceId: { value: workspaceId }, appId: { value: appId } };
      expect((await get({ ...theirs, customerUserId: one.customerUserId })).reason).toBe("AUTHORIZATION_DENIED");
      expect((await get({ ...theirs, customerUserId: one.customerUserId }, backendKey.token)).reason).toBe(
        "RESOURCE_NOT_FOUND",
      );
    }
    const mixed = { workspaceId: { value: workspaceId }, appId: { value: secondTenant.appId } };
    expect((await get({ ...mixed, customerUserId: one.customerUserId })).reason).toBe("AUTHORIZATION_DENIED");
  });
});

describe("browser tokens", () => {
  test("scopes, origins and tools stay within the grant, the lifetime within the longest and the grant's", async () => {
    const client = await startBetaClient();
    // Between whole seconds, whose fraction JSON leaves out.
    const expiresAt = new Date(Math.trunc(Date.now() / 1000 + 60) * 1000 + 500).toISOString();
    const { customerUserId } = await client.grant({ allowedBrowserTokenScopes: ["secrets:read"], expiresAt });
    const issue = (fields: object) =>
      client.call("CustomerUserService/IssueBrowserToken", { customerUserId, scopes: ["secrets:read"], ...fields });
    expect((await issue({ scopes: ["secrets:read", "secrets:write"] })).reason).toBe("AUTHORIZATION_DENIED");
    expect((await issue({ origins: ["https://elsewhere.example:443"] })).reason).toBe("INVALID_ARGUMENT");
    expect((await issue({ allowedToolIds: [freshId()] })).reason).toBe("RESOURCE_NOT_FOUND");
    expect((await issue({ scopes: [] })).reason).toBe("INVALID_ARGUMENT");
    expect(text((await issue({ lifetimeSeconds: 3600 })).json.expiresAt)).toBe(expiresAt);
    const { json } = await issue({ lifetimeSeconds: 5 });
    expect(Date.parse(text(json.expiresAt))).toBeLessThanOrEqual(Date.now() + 5000);
    const token = text(json.token);
    const list = (headers: Record<string, string>) =>
      client.call("CustomerSecretService/ListSecrets", { customerUserId }, { token, headers });
    expect((await list({})).status).toBe(200);
    expect((await list({ origin: "https://app.example.com" })).status).toBe(200);
    expect((await list({ origin: "https://elsewhere.example" })).reason).toBe("AUTHORIZATION_DENIED");
  });

  test("a token ends with its time, and with its grant's revocation, narrowing or user", async () => {
    const clock = createManualClock(Date.now());
    const client = await startBetaClient({ clock });
    const grants = [await client.grant(), await client.grant(), await client.grant(), await client.grant()];
    const tokens = await Promise.all(grants.map(({ customerUserId }) => client.token(customerUserId as never)));
    const ask = async (index: number) =>
      (
        await client.call(
          "SessionService/ListSessions",
          { customerUserId: grants[index]?.customerUserId },
          { token: tokens[index] ?? "" },
        )
      ).reason;
    expect(await Promise.all([0, 1, 2, 3].map(ask))).toEqual(Array(4).fill(undefined));
    const on = (index: number) => ({
      customerUserId: grants[index]?.customerUserId,
      expectedResourceVersion: "1",
    });
    await client.call("CustomerUserService/RevokeCustomerUserGrant", on(1));
    await client.call("CustomerUserService/UpdateCustomerUserGrant", { ...on(2), attributesJson: "e30=" });
    await client.call("CustomerUserService/DeleteCustomerUser", on(3));
    expect(await Promise.all([0, 1, 2, 3].map(ask))).toEqual([
      undefined,
      "AUTHENTICATION_REQUIRED",
      "AUTHORIZATION_DENIED",
      "AUTHENTICATION_REQUIRED",
    ]);
    await clock.advance(600_000);
    expect(await ask(0)).toBe("AUTHENTICATION_REQUIRED");
  });
});
