import { expect, test } from "vitest";
import { isReadOnly, type PackageName, rpc, rpcs } from "../../proto/rpcs.ts";
import { changing, openCase } from "./case.testing.ts";

test.each<PackageName>(["alpha.v1", "beta.v1"])(
  "%s serves a request of every row that reads or creates",
  // On a busy machine a job may go on between its reading and the call at its version.
  { retry: 2 },
  async (name) => {
    const { context } = await openCase(name);
    const { setup, call } = context;
    const rows = rpcs.filter((row) => row.package === name && (isReadOnly(row) || row.record !== undefined));
    const outcomes = await Promise.all(
      rows.map(async (row) => {
        const subject = await setup.subjectOf(row);
        const baseUrl = setup.baseUrl(row, subject);
        const enough = () => true;
        const reply = await call(row, await setup.request(row, subject), { baseUrl, enough });
        return [row.name, reply.outcome];
      }),
    );
    expect(outcomes).toEqual(rows.map((row) => [row.name, "served"]));
    expect(rows.length).toBeGreaterThan(20);
  },
);

test("what is given is taken as it is, and nothing is needed in its place", async () => {
  const { setup } = (await openCase("beta.v1", { target: changing({ "beta.inputs": {} }) })).context;
  const row = rpc("beta.v1.RunService/CreateRun");
  await expect(setup.request(row, undefined)).rejects.toThrow("needs beta.inputs.complete");
  expect(await setup.request(row, undefined, { input: { text: "hello" } })).toMatchObject({ input: { text: "hello" } });
});

test("a secret's value is guarded from the moment it is chosen", async () => {
  const { setup, run } = (await openCase("alpha.v1")).context;
  const { value } = await setup.request(rpc("alpha.v1.SecretService/CreateSecret"), undefined);
  expect(run.secrets.find(String(value))).not.toEqual([]);
});

test("settings are switched, and an endpoint is enabled", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const settings = await setup.fresh("memory_settings");
  const row = rpc("beta.v1.MemoryService/UpdateMemorySettings");
  expect(await setup.request(row, settings)).toMatchObject({ enabled: !settings.record.enabled });
  const endpoint = await setup.fresh("webhook_endpoint");
  const update = rpc("beta.v1.WebhookService/UpdateWebhookEndpoint");
  expect(await setup.request(update, endpoint)).toMatchObject({
    webhookEndpointId: endpoint.id,
    expectedResourceVersion: endpoint.version,
    enabled: true,
  });
});
