import { expect, test } from "vitest";
import { failing, openCase, replying } from "./case.testing.ts";
import { create } from "./create.ts";

const createSecret = "alpha.v1.SecretService/CreateSecret";

test("fields differ where they are given, and the subject tells the row that showed it", async () => {
  const { context } = await openCase("alpha.v1");
  const made = await create(context, createSecret, { name: "one of its own" });
  expect(made).toMatchObject({ kind: "secret", record: { name: "one of its own" }, shownBy: createSecret });
});

test("where the row refuses, the case is unproven", async () => {
  const { context } = await openCase("alpha.v1", { decoration: failing(createSecret) });
  await expect(create(context, createSecret)).rejects.toThrow(`needs ${createSecret}, which was refused`);
});

test("a record without an id is nothing to go on with", async () => {
  const decoration = replying(createSecret, () => ({ secret: { name: "nameless" } }));
  const { context } = await openCase("alpha.v1", { decoration });
  await expect(create(context, createSecret)).rejects.toThrow("a secret record came without an id");
});
