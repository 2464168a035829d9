import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { failing, openCase, seen } from "../case.testing.ts";
import { createSession } from "./session.ts";

test("a session is of the user it was created for, and deleted when the case is over", async () => {
  const { context, end } = await openCase("beta.v1");
  const user = await context.setup.fresh("customer_user");
  const session = await createSession(context, user);
  expect(session).toMatchObject({ kind: "session", within: { customerUserId: user.id } });
  expect((await seen(context, session))?.customerUserId).toEqual(user.id);
  expect(await end()).toEqual([]);
  expect(await seen(context, session)).toBeUndefined();
});

test("each run is in a session of its own; several that one listing shows are in one", async () => {
  const { context, asked, endRun } = await openCase("beta.v1");
  const [one, other] = [await context.setup.fresh("run"), await context.setup.fresh("run")];
  expect(one.record.sessionId).not.toEqual(other.record.sessionId);
  const { subjects, request } = await context.setup.listed(rpc("beta.v1.RunService/ListRuns"));
  expect(subjects.map(({ record }) => record.sessionId)).toEqual(subjects.map(() => request.sessionId));
  await endRun();
  expect(asked.filter(({ rpc }) => rpc.endsWith("/DeleteSession"))).not.toHaveLength(0);
});

test("each voice ticket is for a session of its own, and a listing of runs names that of its subject", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const ticket = rpc("beta.v1.SessionService/CreateVoiceConnectionTicket");
  const [one, other] = [await setup.request(ticket, undefined), await setup.request(ticket, undefined)];
  expect(one.sessionId).not.toEqual(other.sessionId);
  const run = await setup.fresh("run");
  const listing = await setup.request(rpc("beta.v1.RunService/ListRuns"), run);
  expect(listing.sessionId).toEqual(run.record.sessionId);
});

test("one that cannot be deleted is left behind", async () => {
  const { context, end } = await openCase("beta.v1", { decoration: failing("beta.v1.SessionService/DeleteSession") });
  await context.setup.fresh("session");
  expect(await end()).toEqual([expect.stringMatching(/^session .* of the own tenant: .* was refused/)]);
});
