import { expect, test } from "vitest";
import type { PackageName } from "../../proto/rpcs.ts";
import { findVariant } from "../servers/variants/index.ts";
import { failing, openCase, seen } from "./case.testing.ts";
import {
  createEnabledEndpoint,
  createEndpoint,
  creatingRow,
  settableFields,
  updateEndpoint,
  updatingRow,
  webhookEndpoint,
} from "./webhook-endpoint.ts";

const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];
const url = "https://hook.example.test/here";

test.each(packages)(
  "%s: an endpoint is created at a url, its signing secret guarded, and deleted again",
  async (name) => {
    const { context, end } = await openCase(name);
    const { endpoint, secret } = await createEndpoint(context, url);
    expect(await seen(context, endpoint)).toMatchObject({ url });
    expect(context.run.secrets.find(secret)).not.toEqual([]);
    expect(await end()).toEqual([]);
    expect(await seen(context, endpoint)).toBeUndefined();
  },
);

test.each([
  ["alpha.v1", "alpha.endpoints-begin-disabled"],
  ["beta.v1", "beta.endpoints-begin-disabled"],
] as const)("%s: one that begins disabled is enabled", async (name, variant) => {
  const { context, asked } = await openCase(name, { decoration: (await findVariant(variant)).decoration });
  const endpoint = await createEnabledEndpoint(context, url);
  expect(await seen(context, endpoint)).toMatchObject({ url, enabled: true });
  expect(asked.some(({ rpc }) => rpc === updatingRow(context).name)).toBe(true);
});

test.each(packages)("%s: what an update does not change stays as it is", async (name) => {
  const { context } = await openCase(name);
  const endpoint = await createEnabledEndpoint(context, url);
  const reply = await updateEndpoint(context, endpoint, { url: `${url}/more` });
  context.needs(reply);
  const { record } = context.setup.subjectIn(reply);
  const fields = settableFields(updatingRow(context));
  expect(fields).toContain("enabled");
  for (const field of fields) expect(record[field]).toEqual(field === "url" ? `${url}/more` : endpoint.record[field]);
});

test.each(packages)("%s: of those that are listed the first and the last are disabled", async (name) => {
  const { context } = await openCase(name);
  const made = await webhookEndpoint.createMany?.(context, 3);
  expect(made?.map(({ record }) => record.enabled ?? false)).toEqual([false, true, false]);
});

test.each(packages)("%s: to a quiet one nothing is delivered, unless the target does not disable it", async (name) => {
  const { context } = await openCase(name);
  expect((await context.setup.fresh("webhook_endpoint:quiet")).record.enabled ?? false).toBe(false);
  const kept = await openCase(name, { decoration: failing(`${name}.WebhookService/UpdateWebhookEndpoint`) });
  expect((await kept.context.setup.fresh("webhook_endpoint:quiet")).record.enabled).toBe(true);
});

test("where none is created the case is unproven, and where it cannot be deleted it is left behind", async () => {
  const refused = await openCase("beta.v1", { decoration: failing("beta.v1.WebhookService/CreateWebhookEndpoint") });
  await expect(createEndpoint(refused.context, url)).rejects.toThrow(`needs ${creatingRow(refused.context).name}`);
  const kept = await openCase("beta.v1", { decoration: failing("beta.v1.WebhookService/DeleteWebhookEndpoint") });
  const { endpoint } = await createEndpoint(kept.context, url);
  expect(await kept.end()).toEqual([
    expect.stringMatching(/^webhook_endpoint .* of the own tenant: .* was refused.*; it is disabled$/s),
  ]);
  // Nothing more is delivered to it.
  expect((await seen(kept.context, endpoint))?.enabled ?? false).toBe(false);
});
