import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { findVariant } from "../servers/variants/index.ts";
import { NotExercised } from "../target/target.ts";
import { changing, openCase } from "./case.testing.ts";
import { listAll } from "./listing.ts";
import { takesReceiver } from "./receiver-address.ts";
import { openHook } from "./webhook-hook.ts";

test.each(["alpha.v1", "beta.v1"] as const)("%s: what was asked for to learn it is gone afterwards", async (name) => {
  const { context } = await openCase(name);
  expect(await takesReceiver(context)).toBe(true);
  const { records } = await listAll(
    context,
    rpc(`${name}.WebhookService/ListWebhookEndpoints`),
    context.setup.tenant(),
  );
  // Others are made beside, to see whether readings lag: at the unwatched hook, which is told by its query.
  expect(records.filter(({ url }) => !String(url).includes("?"))).toEqual([]);
});

test.each(["alpha.v1", "beta.v1"] as const)(
  "%s: nothing is to be delivered where its address is refused",
  async (name) => {
    const { decoration } = await findVariant(`${name.slice(0, -3)}.endpoints-of-https-alone`);
    const { context } = await openCase(name, { decoration });
    expect(await takesReceiver(context)).toBe(false);
    await expect(openHook(context)).rejects.toThrow(NotExercised);
  },
);

test("without a receiver its address is nobody's", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ webhooks: undefined }) });
  expect(await takesReceiver(context)).toBe(false);
});
