import { expect, test } from "vitest";
import { CredentialKind, rpc } from "../../../proto/rpcs.ts";
import type { Credential } from "../../wire/request.ts";
import { changing, openCase } from "../case.testing.ts";

const listSessions = rpc("beta.v1.SessionService/ListSessions");
const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const getRun = rpc("beta.v1.RunService/GetRun");
const listEndpoints = rpc("beta.v1.WebhookService/ListWebhookEndpoints");

/** Opens a case, and tells how calls of a row with a credential end. */
async function calling(row: typeof listSessions) {
  const { context } = await openCase("beta.v1");
  const subject = await context.setup.subjectOf(row);
  const outcome = async (as: Credential) =>
    (await context.call(row, await context.setup.request(row, subject), { as })).outcome;
  return { setup: context.setup, outcome, subject };
}

test("a row is called with the backend key, or with a browser token where it takes none", async () => {
  const { context } = await openCase("beta.v1");
  expect((await context.setup.credential(listSessions)).token).toBe(context.target.beta.backendKeys.all);
  expect((await context.setup.credential(listApprovals)).label).toBe("beta browser token (the own tenant, all scopes)");
});

test.each([listSessions, listApprovals])(
  "$method: a credential with its scope alone is served, one without it refused",
  async (row) => {
    const { setup, outcome } = await calling(row);
    expect(await outcome(await setup.keyWithScope(row))).toBe("served");
    expect(await outcome(await setup.keyWithoutScope(row))).toBe("refused");
  },
);

test.each([
  [CredentialKind.BACKEND_KEY, getRun],
  [CredentialKind.BROWSER_TOKEN, getRun],
  [CredentialKind.MCP_OAUTH_TOKEN, getRun],
  [CredentialKind.IDP_USER, listEndpoints],
] as const)("a credential of kind %s is served", async (kind, row) => {
  const { setup, outcome, subject } = await calling(row);
  expect(await outcome(await setup.credentialOfKind(kind, row, subject))).toBe("served");
});

test.each([CredentialKind.BACKEND_KEY, CredentialKind.BROWSER_TOKEN, CredentialKind.MCP_OAUTH_TOKEN])(
  "a credential of kind %s without the scope is refused",
  async (kind) => {
    const { setup, outcome, subject } = await calling(getRun);
    expect(await outcome(await setup.credentialOfKindWithoutScope(kind, getRun, subject))).toBe("refused");
  },
);

test("of the MCP OAuth tokens the first with the scope is taken; where none has it, any will do", async () => {
  const { setup, target } = (await openCase("beta.v1")).context;
  const { scope } = getRun;
  const place = target.beta.mcpTokens.findIndex(({ scopes }) => scopes.includes(scope));
  expect(place).toBeGreaterThanOrEqual(0);
  const label = async (asked: typeof getRun) =>
    (await setup.credentialOfKind(CredentialKind.MCP_OAUTH_TOKEN, asked)).label;
  expect(await label(getRun)).toBe(`beta mcp token ${place}`);
  expect(await label({ ...getRun, scope: "no:scope" })).toBe("beta mcp token 0");
});

test("a user without the permission is refused", async () => {
  const { setup, outcome } = await calling(listEndpoints);
  expect(await outcome(setup.unpermittedUser())).toBe("refused");
});

test("another user has a token of its own, and sees nothing of the first one's", async () => {
  const { context, endRun } = await openCase("beta.v1");
  const { setup, call, needs } = context;
  await setup.fresh("session");
  const other = await setup.otherUser();
  expect((await setup.otherUser()).fields).toEqual(other.fields);
  const request = { ...(await setup.request(listSessions, undefined)), ...other.fields };
  expect(needs(await call(listSessions, request, { as: await other.token(listSessions) })).sessions ?? []).toEqual([]);
  expect(await endRun()).toEqual([]);
});

test("what the target file lacks is named", async () => {
  const lacking = { "beta.backendKeys.limited": [], "beta.mcpTokens": [], "beta.idpTokens": {} };
  const { setup } = (await openCase("beta.v1", { target: changing(lacking) })).context;
  await expect(setup.keyWithScope(listSessions)).rejects.toThrow("needs beta.backendKeys.limited");
  await expect(setup.credentialOfKind(CredentialKind.MCP_OAUTH_TOKEN, getRun)).rejects.toThrow("needs beta.mcpTokens");
  await expect(setup.credentialOfKind(CredentialKind.IDP_USER, listEndpoints)).rejects.toThrow(
    "needs beta.idpTokens.permitted",
  );
  expect(() => setup.unpermittedUser()).toThrow("needs beta.idpTokens.unpermitted");
});
