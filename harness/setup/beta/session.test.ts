import { expect, test } from "vitest";
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

test("the one runs are in is shared, and ends with the run of the suite", async () => {
  const { context, asked, endRun } = await openCase("beta.v1");
  const [one, other] = [await context.setup.fresh("run"), await context.setup.fresh("run")];
  expect(one.record.sessionId).toEqual(other.record.sessionId);
  expect(asked.filter(({ rpc }) => rpc.endsWith("/DeleteSession"))).toHaveLength(0);
  expect(await endRun()).toEqual([]);
  expect(asked.filter(({ rpc }) => rpc.endsWith("/DeleteSession"))).toHaveLength(1);
});

test("one that cannot be deleted is left behind", async () => {
  const { context, end } = await openCase("beta.v1", { decoration: failing("beta.v1.SessionService/DeleteSession") });
  await context.setup.fresh("session");
  expect(await end()).toEqual([expect.stringMatching(/^session .* of the own tenant: .* was refused/)]);
});
