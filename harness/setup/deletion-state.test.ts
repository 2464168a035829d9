import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import { findVariant } from "../servers/variants/index.ts";
import { openCase } from "./case.testing.ts";
import { isDeletedOnceDisabled } from "./webhook-endpoint.ts";

const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];

const rowOf = (name: PackageName) => rpc(`${name}.WebhookService/DeleteWebhookEndpoint`);

test.each(packages)(
  "%s: an endpoint is deleted as it is where the target does so, which is asked once",
  async (name) => {
    const { context, asked } = await openCase(name);
    const deletions = () => asked.filter((one) => one.rpc === rowOf(name).name).length;
    expect(await isDeletedOnceDisabled(context)).toBe(false);
    const first = deletions();
    expect(await isDeletedOnceDisabled(context)).toBe(false);
    expect(deletions()).toBe(first);
  },
);

const disabledFirst = ["endpoints-deleted-once-disabled", "endpoints-begin-and-end-disabled"].flatMap((variant) =>
  packages.map((name) => [name, variant] as const),
);

test.each(disabledFirst)("%s, %s: where an enabled one is refused, it is disabled first", async (name, variant) => {
  const { decoration } = await findVariant(`${name.split(".")[0]}.${variant}`);
  const { context, end, endRun } = await openCase(name, { decoration });
  expect(await isDeletedOnceDisabled(context)).toBe(true);
  const made = await context.setup.fresh("webhook_endpoint");
  expect((await context.setup.deletable(made)).record.enabled ?? false).toBe(false);
  await context.setup.fresh("webhook_endpoint");
  expect(await end()).toEqual([]);
  expect(await endRun()).toEqual([]);
});
