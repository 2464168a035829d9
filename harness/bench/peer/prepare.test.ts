import { expect, test } from "vitest";
import { ChangesItself, type PackageName, rpc, rpcs } from "../../../proto/rpcs.ts";
import { onlyService, startEmbedded } from "../../servers/reference/embedded.ts";
import { valueAt } from "../../wire/json.ts";
import { unaryOf } from "./openapi.ts";
import { knownIn, prepareCalls, type ReadyCall } from "./prepare.ts";

/** The calls that a reference was made ready for, and what came of making them. */
async function preparedAt(packageName: PackageName, names: readonly string[]) {
  const reference = await startEmbedded(onlyService(packageName));
  try {
    const calls = await prepareCalls(reference.file, names.map(rpc));
    const { alpha, beta } = reference.file;
    const usual = (packageName === "alpha.v1" ? alpha?.baseUrl : beta?.baseUrl) ?? "";
    const statuses = await Promise.all(calls.map((call) => statusOf(call, usual)));
    return { calls, statuses };
  } finally {
    await reference.close();
  }
}

async function statusOf({ row, request, token, baseUrl }: ReadyCall, usual: string): Promise<string> {
  const { status } = await fetch((baseUrl ?? usual) + row.path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "connect-protocol-version": "1" },
    body: JSON.stringify(request),
  });
  return `${row.name} ${status}`;
}

const namesOf = (packageName: PackageName) =>
  unaryOf(rpcs)
    .filter((row) => row.package === packageName && !row.fixture)
    .map(({ name }) => name);

test.each(["alpha.v1", "beta.v1"] as const)("a server of %s serves every call it was made ready for", async (name) => {
  const names = namesOf(name);
  const { calls, statuses } = await preparedAt(name, names);
  expect(calls.map(({ row }) => row.name).sort()).toEqual([...names].sort());
  // Work goes on by itself, and its version with it.
  const movesOn = (one: string) => rpc(one.replace(/ .*/, "")).changesItself === ChangesItself.BY_WORK;
  expect(statuses.filter((one) => !one.endsWith(" 200") && !movesOn(one))).toEqual([]);
});

test("what calls name beside their subject is known", async () => {
  const { calls } = await preparedAt("beta.v1", ["beta.v1.CustomerSecretService/GetSecret"]);
  expect(Object.keys(knownIn(calls)).sort()).toEqual(["app", "customer_user", "workspace"]);
  expect(knownIn(calls).workspace).toEqual([valueAt(calls[0]?.request, "workspaceId.value")]);
});

test("where a server does not let something be made, there is no call, and nothing is known", async () => {
  const reference = await startEmbedded(onlyService("alpha.v1"));
  try {
    const { alpha } = reference.file;
    const file = { alpha: { ...alpha, apiKeys: { all: "of-nobody" } } };
    const calls = await prepareCalls(file, [rpc("alpha.v1.SecretService/GetSecret")]);
    expect(calls).toEqual([]);
    expect(knownIn(calls)).toEqual({});
  } finally {
    await reference.close();
  }
});
