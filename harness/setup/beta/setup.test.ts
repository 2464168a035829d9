import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase } from "../case.testing.ts";

test("a request names the tenant's user, session and app version, or those of its subject", async () => {
  const { setup, target } = (await openCase("beta.v1")).context;
  const session = await setup.fresh("session");
  const run = await setup.request(rpc("beta.v1.RunService/CreateRun"), undefined);
  expect(run).toMatchObject({
    ...setup.tenant(),
    ...session.within,
    appVersionId: { value: target.beta.appVersionIds[0] },
  });
  const item = await setup.fresh("memory_item");
  expect(await setup.request(rpc("beta.v1.MemoryService/UpdateMemoryItem"), item)).toMatchObject({ ...item.within });
  const approval = await setup.fresh("approval");
  const link = await setup.request(rpc("beta.v1.HostedService/CreateHostedApprovalLink"), approval);
  expect(link.runId).toEqual(approval.record.runId);
});

test("a listing is not narrowed to a session, and grants name the tools of the target file", async () => {
  const { setup, target } = (await openCase("beta.v1")).context;
  expect(await setup.request(rpc("beta.v1.RunService/ListRuns"), undefined)).not.toHaveProperty("sessionId");
  const grant = await setup.request(rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant"), undefined);
  expect(grant.allowedToolIds).toEqual(target.beta.toolIds.map((value) => ({ value })));
});

test("what the target file lacks for it is named", async () => {
  const { setup } = (await openCase("beta.v1", { target: changing({ "beta.appVersionIds": [], "beta.inputs": {} }) }))
    .context;
  await expect(setup.request(rpc("beta.v1.SessionService/CreateSession"), undefined)).rejects.toThrow(
    "needs beta.appVersionIds",
  );
  await expect(
    setup.request(rpc("beta.v1.RunService/CreateRun"), undefined, { appVersionId: null, sessionId: null }),
  ).rejects.toThrow("needs beta.inputs.complete");
});
