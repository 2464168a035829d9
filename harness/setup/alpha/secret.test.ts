import { expect, test } from "vitest";
import { openCase } from "../case.testing.ts";

test("a secret that was used can still be read, and one that was rotated has another version", async () => {
  const { context, end } = await openCase("alpha.v1");
  const { setup } = context;
  const [used, rotated] = [await setup.fresh("secret:used"), await setup.fresh("secret:rotated")];
  expect((await setup.read(used)).outcome).toBe("served");
  expect(rotated.version).not.toBe("1");
  expect(await end()).toEqual([]);
});
