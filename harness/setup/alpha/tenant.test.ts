import { expect, test } from "vitest";
import { changing, openCase } from "../case.testing.ts";
import { otherTenant, ownTenant, tenantOf } from "./tenant.ts";

test("the own workspace needs its id and a key", async () => {
  const { context } = await openCase("alpha.v1");
  const { workspaceId, apiKeys } = context.target.alpha;
  expect(ownTenant(context)).toMatchObject({
    fields: { workspaceId: { value: workspaceId } },
    key: { token: apiKeys.all },
  });
  for (const path of ["alpha.workspaceId", "alpha.apiKeys.all"]) {
    const lacking = await openCase("alpha.v1", { target: changing({ [path]: undefined }) });
    expect(() => ownTenant(lacking.context)).toThrow(`needs ${path} in the target file`);
  }
});

test("the other workspace is that of the target file", async () => {
  const { context } = await openCase("alpha.v1");
  const { secondWorkspace } = context.target.alpha;
  expect(otherTenant(context)).toMatchObject({
    fields: { workspaceId: { value: secondWorkspace?.workspaceId } },
    key: { token: secondWorkspace?.apiKey },
  });
});

test("what a request made is undone where it was made, by its owner", async () => {
  const { context } = await openCase("alpha.v1");
  const { apiKeys, workspaceId: own, secondWorkspace: second } = context.target.alpha;
  const limited = { label: "a limited key", token: "a token" };
  expect(tenantOf(context, { workspaceId: { value: own ?? "" } }, limited)?.key.token).toBe(apiKeys.all);
  const theirs = { workspaceId: { value: second?.workspaceId.toUpperCase() ?? "" } };
  expect(tenantOf(context, theirs, limited)?.key.token).toBe(second?.apiKey);
});

test("in a workspace nobody told of, what was made is undone by whoever made it", async () => {
  const { context } = await openCase("alpha.v1");
  const request = { workspaceId: { value: "1" } };
  const key = { label: "a key", token: "a token" };
  expect(tenantOf(context, request, key)).toEqual({ fields: request, key, label: "workspace 1" });
  expect(tenantOf(context, request, "Bearer wrong")?.key.token).toBe(context.target.alpha.apiKeys.all);
  expect(tenantOf(context, {}, key)).toBeUndefined();
});
