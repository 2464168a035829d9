import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { openCase } from "../setup/case.testing.ts";

test("what a call gives out that nobody waits for is known, and its case hears nothing of it", async () => {
  const issued: string[] = [];
  const decoration = {
    reply(json: object, { row }: { readonly row: { readonly method: string } }) {
      const { signingSecret } = json as { readonly signingSecret?: string };
      if (row.method === "CreateWebhookEndpoint" && signingSecret !== undefined) issued.push(signingSecret);
      return json;
    },
  };
  const { context } = await openCase("alpha.v1", { decoration });
  const row = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");
  context.needs(await context.call("alpha.v1.CatalogService/ListMiniApps", context.setup.tenant()));
  await context.callAndHangUp(row, await context.setup.request(row, undefined));
  await expect.poll(() => issued.length).toBe(1);
  await expect.poll(() => context.run.secrets.redact(`x-seen: ${issued[0]}`)).not.toContain(issued[0]);
});
