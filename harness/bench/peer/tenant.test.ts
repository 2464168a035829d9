import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../../proto/rpcs.ts";
import { onlyService, startEmbedded } from "../../servers/reference/embedded.ts";
import { prepareTenant, type Tenant, tokenFor } from "./tenant.ts";

async function tenantOf(packageName: PackageName): Promise<Tenant> {
  const reference = await startEmbedded(onlyService(packageName));
  try {
    return await prepareTenant(packageName, reference.file);
  } finally {
    await reference.close();
  }
}

const uuid = /^[0-9a-f-]{36}$/;

test("of alpha.v1 a workspace, mini apps and a job are known", async () => {
  const { known, tokens, baseUrl, testBaseUrl } = await tenantOf("alpha.v1");
  expect(Object.keys(known).sort()).toEqual(["job", "mini_app", "workspace"]);
  expect(known.job).toEqual([expect.stringMatching(uuid)]);
  expect(Object.values(tokens)).toHaveLength(1);
  expect(testBaseUrl).not.toBe(baseUrl);
});

test("of beta.v1 a customer user is known, with a browser token, a session and a run", async () => {
  const tenant = await tenantOf("beta.v1");
  for (const kind of ["customer_user", "session", "run", "job"]) {
    expect(tenant.known[kind], kind).toEqual([expect.stringMatching(uuid)]);
  }
  const backend = tokenFor(rpc("beta.v1.CustomerUserService/IssueBrowserToken"), tenant);
  const browser = tokenFor(rpc("beta.v1.ApprovalService/GetApproval"), tenant);
  expect(browser).toBeDefined();
  expect(browser).not.toBe(backend);
});

test("of a server that gives nothing what the target file names is known, and nothing else", async () => {
  const workspaceId = "01a20458-b05a-73d0-9e72-846157a72e55";
  const alpha = { baseUrl: "http://127.0.0.1:1", testBaseUrl: "http://127.0.0.1:1", workspaceId };
  expect((await prepareTenant("alpha.v1", { alpha })).known).toEqual({ workspace: [workspaceId] });
  const beta = { baseUrl: "http://127.0.0.1:1", workspaceId, appId: workspaceId };
  const { known } = await prepareTenant("beta.v1", { beta });
  expect(known).toEqual({ workspace: [workspaceId], app: [workspaceId], external_user: ["known-user"] });
});
