import { expect, test } from "vitest";
import { failing, openCase, seen } from "../case.testing.ts";
import { settingsOf } from "./memory-settings.ts";

const getSettings = "beta.v1.MemoryService/GetMemorySettings";

test("the settings are of a new user, change, and go with the user", async () => {
  const { context, end } = await openCase("beta.v1");
  const { setup } = context;
  const [made, other] = [await setup.fresh("memory_settings"), await setup.fresh("memory_settings")];
  expect(made).toMatchObject({ kind: "memory_settings", within: { customerUserId: made.record.customerUserId } });
  expect(other.within).not.toEqual(made.within);
  expect((await setup.change(made))?.record.enabled ?? false).toBe(!made.record.enabled);
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toBeUndefined();
});

test("those that cannot be read leave the case unproven", async () => {
  const { context } = await openCase("beta.v1", { decoration: failing(getSettings) });
  const user = await context.setup.fresh("customer_user");
  await expect(settingsOf(context, user)).rejects.toThrow(`needs ${getSettings}, which was refused`);
});
