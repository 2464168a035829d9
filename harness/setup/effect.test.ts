import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { openCase, replying } from "./case.testing.ts";

test.each([
  ["alpha.v1", "secret"],
  ["alpha.v1", "webhook_endpoint"],
  ["beta.v1", "secret"],
  ["beta.v1", "webhook_endpoint"],
  ["beta.v1", "customer_user"],
  ["beta.v1", "memory_item"],
  ["beta.v1", "memory_settings"],
] as const)("%s: a change of a %s by somebody else moves its version on", async (name, kind) => {
  const { setup } = (await openCase(name)).context;
  const made = await setup.fresh(kind);
  const changed = await setup.change(made);
  expect(changed?.id).toEqual(made.id);
  expect(changed?.version).not.toBe(made.version);
});

test("what nothing changes but its end is not changed", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  for (const kind of ["session", "run:running"]) expect(await setup.change(await setup.fresh(kind))).toBeUndefined();
});

test("an effect is visible where the record is another, or gone, and nowhere else", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup, call } = context;
  const [rotate, remove] = [rpc("alpha.v1.SecretService/RotateSecret"), rpc("alpha.v1.SecretService/DeleteSecret")];
  const made = await setup.fresh("secret");
  expect(await setup.effectOn(rotate, made)).toMatchObject({ visible: false });
  const changed = (await setup.change(made)) ?? expect.fail("nothing changed it");
  expect(await setup.effectOn(rotate, made)).toMatchObject({ visible: true });
  expect(await setup.effectOn(remove, changed)).toMatchObject({ visible: false });
  await call(remove, await setup.request(remove, changed));
  expect(await setup.effectOn(remove, changed)).toEqual({ visible: true, seen: "the secret is gone" });
});

test("what a reading shows otherwise than the reply that made it is no effect, another change is", async () => {
  const decoration = replying("alpha.v1.WebhookService/CreateWebhookEndpoint", (json) => ({
    ...json,
    endpoint: { ...(json.endpoint as object), name: "as it was sent" },
  }));
  const { setup } = (await openCase("alpha.v1", { decoration })).context;
  const rotate = rpc("alpha.v1.WebhookService/RotateWebhookSecret");
  const made = await setup.fresh("webhook_endpoint");
  expect(await setup.effectOn(rotate, made)).toMatchObject({ visible: false });
  await setup.change(made);
  expect(await setup.effectOn(rotate, made)).toMatchObject({ visible: true });
});

test("what moves whenever it is read is no effect", async () => {
  let reads = 0;
  const decoration = replying("beta.v1.SessionService/GetSession", (json) => {
    reads += 1;
    return { ...json, session: { ...(json.session as object), updatedAt: `2026-01-01T00:00:${10 + reads}Z` } };
  });
  const { setup } = (await openCase("beta.v1", { decoration })).context;
  const remove = rpc("beta.v1.SessionService/DeleteSession");
  const made = await setup.fresh("session");
  expect(await setup.effectOn(remove, made)).toMatchObject({ visible: false });
  const read = (await setup.current(made)) ?? expect.fail("it is not read");
  expect(await setup.effectOn(remove, read)).toMatchObject({ visible: false });
});

test("of what changes by itself a cancellation alone is an effect", async () => {
  const { context } = await openCase("beta.v1");
  const { setup, call } = context;
  const cancel = rpc("beta.v1.RunService/CancelRun");
  const running = await setup.fresh("run:running");
  expect(await setup.effectOn(cancel, running)).toMatchObject({
    visible: false,
    seen: expect.stringMatching(/the run is/),
  });
  await call(cancel, await setup.request(cancel, (await setup.current(running)) ?? running));
  expect(await setup.effectOn(cancel, running)).toMatchObject({ visible: true });
});

test("what nothing shows has no visible effect", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const login = await setup.fresh("oauth_login_request");
  const complete = rpc("beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest");
  expect(await setup.effectOn(complete, login)).toEqual({ visible: false, seen: "nothing shows it" });
});

test.each([
  ["alpha.v1", "alpha.v1.SecretService/CreateSecret"],
  ["beta.v1", "beta.v1.CustomerSecretService/CreateSecret"],
  ["beta.v1", "beta.v1.CustomerUserService/CreateCustomerUserGrant"],
  ["beta.v1", "beta.v1.WebhookService/CreateWebhookEndpoint"],
] as const)("%s: what %s made is counted by its mark", async (name, rowName) => {
  const { setup, call } = (await openCase(name)).context;
  const row = rpc(rowName);
  const request = await setup.request(row, undefined);
  expect(await setup.countCreated(row, request)).toBe(0);
  await call(row, request);
  expect(await setup.countCreated(row, request)).toBe(1);
});

test("tombstones do not count, and what has no mark is not counted", async () => {
  const decoration = { choices: { deleted: "tombstone", listTombstones: true } };
  const { context, end } = await openCase("alpha.v1", { decoration });
  const { setup, call } = context;
  const row = rpc("alpha.v1.SecretService/CreateSecret");
  const request = await setup.request(row, undefined);
  await call(row, request);
  await end();
  expect(await setup.countCreated(row, request)).toBe(0);
  expect(await setup.countCreated(rpc("alpha.v1.PublicTestFixtureService/RunAsync"), {})).toBeUndefined();
});
