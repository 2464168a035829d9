import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import { openCase, seen } from "./case.testing.ts";
import { otherStatesOf } from "./setup.ts";

const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];

test.each(packages)("%s: names and request ids are new each time, and begin as the run's do", async (name) => {
  const { setup, run } = (await openCase(name)).context;
  expect(setup.name("secret")).toMatch(new RegExp(`^${run.prefix}-secret-`));
  expect(setup.name()).not.toBe(setup.name());
  expect(setup.requestId()).not.toEqual(setup.requestId());
});

test.each(packages)("%s: what is shared is made once, and undone when the run ends, not the case", async (name) => {
  const { context, end, endRun } = await openCase(name);
  const [one, other] = await Promise.all([context.setup.shared("secret"), context.setup.shared("secret")]);
  expect(one).toBe(other);
  await end();
  expect(await seen(context, one)).toEqual(one.record);
  expect(await endRun()).toEqual([]);
});

test.each(packages)("%s: what is of the other tenant is made there, and is not to be seen from here", async (name) => {
  const { context, asked } = await openCase(name);
  const { setup } = context;
  const theirs = await setup.ofOtherTenant("secret");
  expect(await setup.ofOtherTenant("secret")).toBe(theirs);
  expect(setup.elsewhere().setup.tenant()).not.toEqual(setup.tenant());
  expect(await setup.current(theirs)).toBeUndefined();
  const { tenant } = await setup.otherTenant(rpc(`${name}.WebhookService/ListWebhookEndpoints`));
  const made = asked.find(({ rpc: row, request }) => row.endsWith("/CreateSecret") && "name" in request);
  expect(made?.request).toMatchObject(tenant);
  expect(setup.tenant()).not.toEqual(tenant);
});

test.each(packages)("%s: deliveries of the other tenant are brought about there too", async (name) => {
  const { context, endRun } = await openCase(name);
  const { tenant } = await context.setup.otherTenant(rpc(`${name}.WebhookService/ListWebhookDeliveries`));
  const theirs = await context.setup.ofOtherTenant("webhook_delivery");
  expect(theirs.record).toMatchObject(tenant);
  expect(await endRun()).toEqual([]);
});

test("a kind that nothing deletes has no row that does", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  expect(setup.deleteOf("session").name).toBe("beta.v1.SessionService/DeleteSession");
  expect(() => setup.deleteOf("run")).toThrow("nothing deletes a run");
});

test("other states are those in which a row may find its subject", async () => {
  expect(otherStatesOf(rpc("alpha.v1.ArtifactService/DeleteArtifact"))).toEqual([
    "pending",
    "uploaded",
    "result",
    "downloaded",
    "expired",
    "empty",
    "input",
  ]);
  expect(otherStatesOf(rpc("alpha.v1.ArtifactService/GetArtifact"))).toEqual([]);
  expect(otherStatesOf(rpc("beta.v1.SessionService/DeleteSession"))).toEqual(["used", "alone"]);
  const { setup } = (await openCase("alpha.v1")).context;
  expect((await setup.fresh("artifact:pending")).record.state).toBe("ARTIFACT_STATE_PENDING_UPLOAD");
});

test("what a case creates by itself is undone with what setup made", async () => {
  const { context, end } = await openCase("alpha.v1");
  const row = rpc("alpha.v1.SecretService/CreateSecret");
  const reply = await context.call(row, await context.setup.request(row, undefined));
  const made = context.setup.subjectIn(reply);
  expect(await seen(context, made)).toEqual(made.record);
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toBeUndefined();
});
