import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { changing, openCase, seen } from "./case.testing.ts";

const plainKinds = [
  ["alpha.v1", "secret"],
  ["alpha.v1", "webhook_endpoint"],
  ["beta.v1", "secret"],
  ["beta.v1", "session"],
  ["beta.v1", "webhook_endpoint"],
] as const;

test.each(plainKinds)(
  "%s: a %s is made by the row that creates it, and undone by the one that deletes it",
  async (...[name, kind]) => {
    const { context, end } = await openCase(name);
    const made = await context.setup.fresh(kind);
    expect(made).toMatchObject({ kind, changesOnlyByMutation: true });
    expect(await seen(context, made)).toEqual(made.record);
    expect(await end()).toEqual([]);
    expect(await seen(context, made)).toBeUndefined();
  },
);

test("what nothing makes is said, and so is a state nothing brings about", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  await expect(setup.fresh("browser_token")).rejects.toThrow("nothing in beta.v1 makes a browser_token");
  await expect(setup.fresh("run:paused")).rejects.toThrow("nothing in beta.v1 makes a run:paused");
});

test("without a tenant that is what is lacking, whatever else is", async () => {
  const { setup } = (
    await openCase("alpha.v1", { target: changing({ "alpha.workspaceId": undefined, "alpha.miniAppIds": [] }) })
  ).context;
  await expect(setup.fresh("mini_app")).rejects.toThrow("needs alpha.workspaceId");
});

test("a listing row shows three resources at least, shared until the run ends", async () => {
  const { context, end, endRun } = await openCase("alpha.v1");
  const row = rpc("alpha.v1.SecretService/ListSecrets");
  const listed = await context.setup.listed(row);
  expect(await context.setup.listed(row)).toBe(listed);
  const reply = await context.call(row, listed.request, { baseUrl: listed.baseUrl });
  const ids = (context.needs(reply).secrets as { id: unknown }[]).map(({ id }) => id);
  expect(listed.subjects).toHaveLength(3);
  expect(ids).toEqual(expect.arrayContaining(listed.subjects.map(({ id }) => id)));
  await end();
  expect(await seen(context, listed.subjects[0] ?? expect.fail("nothing was listed"))).toBeDefined();
  expect(await endRun()).toEqual([]);
});

test("a row that creates has no subject, one that reads a shared one, and one that changes one of its own", async () => {
  const { setup } = (await openCase("alpha.v1")).context;
  const [create, read, rotate] = ["CreateSecret", "GetSecret", "RotateSecret"].map((name) =>
    rpc(`alpha.v1.SecretService/${name}`),
  ) as [ReturnType<typeof rpc>, ReturnType<typeof rpc>, ReturnType<typeof rpc>];
  expect(await setup.subjectOf(create)).toBeUndefined();
  const shared = await setup.subjectOf(read);
  expect((await setup.subjectOf(read))?.id).toEqual(shared?.id);
  const own = await setup.subjectOf(rotate);
  expect(own?.id).not.toEqual(shared?.id);
  expect((await setup.subjectOf(rotate))?.id).not.toEqual(own?.id);
});
