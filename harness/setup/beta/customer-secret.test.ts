import { expect, test } from "vitest";
import { openCase } from "../case.testing.ts";

test("a rotated secret has its third value", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const secret = await setup.fresh("secret:rotated");
  expect(secret.record.activeVersion).toBe(3);
  expect((await setup.current(secret))?.version).toBe(secret.version);
});
