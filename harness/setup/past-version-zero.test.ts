import { expect, test } from "vitest";
import { openCase } from "./case.testing.ts";
import { pastVersionZero } from "./past-version-zero.ts";

test("where versions begin at zero a subject is changed before its version is used", async () => {
  const zero = await openCase("alpha.v1", { decoration: { choices: { versionStart: 0n } } });
  const made = await zero.context.setup.fresh("secret");
  expect(made.version).toBe("0");
  expect((await pastVersionZero(zero.context, made)).version).not.toBe("0");
  const usual = await openCase("alpha.v1");
  const other = await usual.context.setup.fresh("secret");
  expect(await pastVersionZero(usual.context, other)).toBe(other);
});
