import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { failing, openCase, seen } from "./case.testing.ts";

const deleteSecret = "alpha.v1.SecretService/DeleteSecret";
const deletions = (asked: readonly { readonly rpc: string }[]) =>
  asked.filter(({ rpc: name }) => name === deleteSecret);

test("what was changed meanwhile is deleted at the version it has come to", async () => {
  const { context, asked, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  await context.setup.change(made);
  expect(await end()).toEqual([]);
  expect(deletions(asked)).toHaveLength(1);
  expect(await seen(context, made)).toBeUndefined();
});

test("what the case deleted by itself is left alone", async () => {
  const { context, asked, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  const row = rpc(deleteSecret);
  context.needs(await context.call(row, await context.setup.request(row, made)));
  expect(await end()).toEqual([]);
  expect(deletions(asked)).toHaveLength(1);
});

test("what the target refuses to delete is told as left behind", async () => {
  const { context, end } = await openCase("alpha.v1", { decoration: failing(deleteSecret) });
  const made = await context.setup.fresh("secret");
  const { value } = made.id as { value: string };
  const { workspaceId } = context.target.alpha;
  expect(await end()).toEqual([`secret ${value} of workspace ${workspaceId}`]);
});

test("what is shown as deleted is gone, though its deletion was told as failed", async () => {
  const answersLost = (next: (...call: unknown[]) => unknown) => async (at: unknown, request: unknown) => {
    await next(at, request);
    throw new Error("it is done, and the answer is lost");
  };
  const handlers = { "beta.v1.SessionService/DeleteSession": answersLost };
  const { context, end } = await openCase("beta.v1", {
    decoration: { choices: { deletedSession: "tombstone" }, handlers },
  });
  const made = await context.setup.fresh("session");
  expect(await end()).toEqual([]);
  expect((await context.setup.current(made))?.record).toMatchObject({ state: "SESSION_STATE_DELETED" });
  expect(await seen(context, made)).toBeUndefined();
});

test("what was made in another tenant is undone there", async () => {
  const { context, asked, endRun } = await openCase("beta.v1");
  const theirs = await context.setup.ofOtherTenant("session");
  expect(await endRun()).toEqual([]);
  const { workspaceId } = context.target.beta.secondTenant ?? expect.fail("there is no second tenant");
  expect(asked.find(({ rpc: name }) => name.endsWith("/DeleteSession"))?.request).toMatchObject({
    workspaceId: { value: workspaceId },
    sessionId: theirs.id,
  });
});
