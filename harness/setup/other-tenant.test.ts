import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { changing, openCase } from "./case.testing.ts";

test("a workspace is named by its id, and called with its key", async () => {
  const { setup, target } = (await openCase("alpha.v1")).context;
  const { key, tenant } = await setup.otherTenant(rpc("alpha.v1.ArtifactService/CreateArtifactUpload"));
  expect(tenant).toEqual({ workspaceId: { value: target.alpha.secondWorkspace?.workspaceId } });
  expect(key.token).toBe(target.alpha.secondWorkspace?.apiKey);
});

test("a tenant of beta.v1 is named with what is its own, but for what a row is about", async () => {
  const { context } = await openCase("beta.v1");
  const { setup, call, target } = context;
  const run = rpc("beta.v1.RunService/CreateRun");
  const { key, tenant } = await setup.otherTenant(run);
  expect(Object.keys(tenant).toSorted()).toEqual([
    "appId",
    "appVersionId",
    "customerUserId",
    "sessionId",
    "workspaceId",
  ]);
  expect(tenant.appId).toEqual({ value: target.beta.secondTenant?.appId });
  const request = { ...(await setup.request(run, undefined)), ...tenant };
  expect((await call(run, request, { as: key })).outcome).toBe("served");
  const grants = await setup.otherTenant(rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant"));
  expect(Object.keys(grants.tenant).toSorted()).toEqual(["appId", "workspaceId"]);
});

test.each([
  ["alpha.v1", "alpha.secondWorkspace", "alpha.v1.SecretService/GetSecret"],
  ["beta.v1", "beta.secondTenant", "beta.v1.SessionService/GetSession"],
] as const)("%s: without %s in the target file that is what is lacking", async (name, path, row) => {
  const { setup } = (await openCase(name, { target: changing({ [path]: undefined }) })).context;
  await expect(setup.otherTenant(rpc(row))).rejects.toThrow(`needs ${path} in the target file`);
  await expect(setup.ofOtherTenant("secret")).rejects.toThrow(`needs ${path} in the target file`);
});
