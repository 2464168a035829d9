import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { Unproven } from "../case/unproven.ts";
import { failing, openCase } from "./case.testing.ts";
import { ownerView } from "./owner-view.ts";

const getSecret = "alpha.v1.SecretService/GetSecret";

test("what is there is shown; what was deleted, or never was, is not", async () => {
  const { context } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  expect((await ownerView(context, made))?.record).toMatchObject({ id: made.id });
  const row = rpc("alpha.v1.SecretService/DeleteSecret");
  context.needs(await context.call(row, await context.setup.request(row, made)));
  expect(await ownerView(context, made)).toBeUndefined();
  expect(await ownerView(context, { ...made, id: { value: context.random.uuidv7() } })).toBeUndefined();
});

test("a server that fails at every reading does not say that anything is gone", async () => {
  const { context } = await openCase("alpha.v1", { decoration: failing(getSecret) });
  const made = await context.setup.fresh("secret");
  await expect(ownerView(context, made)).rejects.toThrow(Unproven);
  await expect(ownerView(context, made)).rejects.toThrow(/GetSecret does not say that it is gone: refused: HTTP 500/);
});

test("nor does a denial, where unknown ids are refused otherwise", async () => {
  const { context } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  const as = await context.setup.keyWithoutScope(rpc(getSecret));
  const limited = { ...context, call: (row: never, request: never) => context.call(row, request, { as }) };
  // The unknown id is read by the owner first.
  expect(await ownerView(context, { ...made, id: { value: context.random.uuidv7() } })).toBeUndefined();
  const { setup } = context;
  await expect(ownerView({ ...limited, setup } as unknown as typeof context, made)).rejects.toThrow(
    /does not say that it is gone/,
  );
});
