import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase } from "../case.testing.ts";

test("a mini app is the first of the target file, as the target shows it", async () => {
  const { context, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("mini_app");
  expect(made).toMatchObject({ id: context.target.alpha.miniAppIds[0], record: { id: made.id } });
  expect(await end()).toEqual([]);
  expect((await context.setup.current(made))?.record).toEqual(made.record);
});

test("as many are listed as the target file names", async () => {
  const { setup, target } = (await openCase("alpha.v1")).context;
  const { subjects } = await setup.listed(rpc("alpha.v1.CatalogService/ListMiniApps"));
  expect(subjects.map(({ id }) => id)).toEqual(target.alpha.miniAppIds.slice(0, 3));
});

test("one that is not named is lacking, one that is not shown leaves the case unproven", async () => {
  const none = (await openCase("alpha.v1", { target: changing({ "alpha.miniAppIds": [] }) })).context;
  await expect(none.setup.fresh("mini_app")).rejects.toThrow("needs alpha.miniAppIds in the target file");
  const wrong = (await openCase("alpha.v1", { target: changing({ "alpha.miniAppIds": ["no-such-app"] }) })).context;
  await expect(wrong.setup.fresh("mini_app")).rejects.toThrow("needs the mini app no-such-app of the target file");
});
