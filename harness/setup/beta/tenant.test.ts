import { expect, test } from "vitest";
import { changing, openCase } from "../case.testing.ts";
import { otherTenant, ownTenant, tenantOf } from "./tenant.ts";

test("the own tenant needs a workspace, an app and a key; its app version only where that is asked for", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ "beta.appVersionIds": [] }) });
  const { workspaceId, appId, backendKeys } = context.target.beta;
  const own = ownTenant(context);
  expect(own.fields).toEqual({ workspaceId: { value: workspaceId }, appId: { value: appId } });
  expect(own.key.token).toBe(backendKeys.all);
  expect(() => own.appVersionId).toThrow("needs beta.appVersionIds");
  for (const path of ["beta.workspaceId", "beta.appId", "beta.backendKeys.all"]) {
    const lacking = await openCase("beta.v1", { target: changing({ [path]: undefined }) });
    expect(() => ownTenant(lacking.context)).toThrow(`needs ${path} in the target file`);
  }
});

test("a request tells which of the two tenants it was about, whether or not the own one is known", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ "beta.backendKeys.all": undefined }) });
  const other = otherTenant(context);
  expect(tenantOf(context, other.fields)).toEqual(other);
  const { workspaceId, appId } = context.target.beta;
  const own = { workspaceId: { value: workspaceId ?? "" }, appId: { value: appId ?? "" } };
  expect(() => tenantOf(context, own)).toThrow("needs beta.backendKeys.all");
  expect(tenantOf(context, { workspaceId: own.workspaceId })).toBeUndefined();
});
