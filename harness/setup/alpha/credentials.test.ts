import { expect, test } from "vitest";
import { CredentialKind, rpc } from "../../../proto/rpcs.ts";
import { changing, openCase } from "../case.testing.ts";

const row = rpc("alpha.v1.SecretService/CreateSecret");

test("a call is made with the key that has every scope, in the other workspace with that one's", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup, target } = context;
  expect((await setup.credential(row)).token).toBe(target.alpha.apiKeys.all);
  expect((await setup.otherTenant(row)).key.token).toBe(target.alpha.secondWorkspace?.apiKey);
  expect((await setup.credentialOfKind(CredentialKind.API_KEY, row)).token).toBe(target.alpha.apiKeys.all);
});

test("the key may be known where the workspace is not", async () => {
  const { setup, target } = (await openCase("alpha.v1", { target: changing({ "alpha.workspaceId": undefined }) }))
    .context;
  expect((await setup.credential(row)).token).toBe(target.alpha.apiKeys.all);
  expect(() => setup.tenant()).toThrow("needs alpha.workspaceId");
});

test("a key with the row's scope alone is served, one without it is refused", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup, call } = context;
  const outcome = async (as: Awaited<ReturnType<typeof setup.keyWithScope>>) =>
    (await call(row, await setup.request(row, undefined), { as })).outcome;
  expect(await outcome(await setup.keyWithScope(row))).toBe("served");
  expect(await outcome(await setup.keyWithoutScope(row))).toBe("refused");
  expect(await outcome(await setup.credentialOfKindWithoutScope(CredentialKind.API_KEY, row))).toBe("refused");
});

test("what alpha.v1 does not have is an error of whoever asks for it", async () => {
  const { setup } = (await openCase("alpha.v1")).context;
  expect(() => setup.unpermittedUser()).toThrow("no identity-provider users");
  expect(() => setup.otherUser()).toThrow("no customer users");
});
