import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { openCase } from "../case.testing.ts";

test("each login request but the first is taken once, until none is left", async () => {
  const { context } = await openCase("beta.v1");
  const { setup, target } = context;
  const all = target.beta.oauthLoginRequests.slice(1).map(({ id }) => ({ value: id }));
  const taken = [];
  for (const _ of all) taken.push((await setup.fresh("oauth_login_request")).id);
  expect(taken).toEqual(expect.arrayContaining(all));
  expect(new Set(taken.map((id) => JSON.stringify(id))).size).toBe(all.length);
  await expect(setup.fresh("oauth_login_request")).rejects.toThrow("needs beta.oauthLoginRequests in the target file");
});

test("it can be completed", async () => {
  const { setup, call } = (await openCase("beta.v1")).context;
  const row = rpc("beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest");
  const taken = await setup.fresh("oauth_login_request");
  expect((await call(row, await setup.request(row, taken))).outcome).toBe("served");
});

test("where the first is completed already, the others are taken for spent", async () => {
  const { context } = await openCase("beta.v1");
  const { setup, call, target } = context;
  const row = rpc("beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest");
  const [first] = target.beta.oauthLoginRequests;
  const request = {
    oauthLoginRequestId: { value: first?.id ?? "" },
    expectedResourceVersion: first?.resourceVersion ?? "",
  };
  expect((await call(row, await setup.request(row, undefined, request))).outcome).toBe("served");
  await expect(setup.fresh("oauth_login_request")).rejects.toThrow("give each run fresh ones");
});
