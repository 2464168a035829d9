import { expect, test } from "vitest";
import { failing, openCase, seen } from "../case.testing.ts";
import { grantFields, grantUser } from "./customer-user.ts";

test("a user is granted as is asked, and deleted when the case is over", async () => {
  const { context, end } = await openCase("beta.v1");
  const user = await grantUser(context, { allowedBrowserTokenScopes: ["runs:read"] });
  expect(user).toMatchObject({ kind: "customer_user", within: { customerUserId: user.id } });
  const { registeredOrigins } = grantFields(context);
  expect(await seen(context, user)).toMatchObject({ allowedBrowserTokenScopes: ["runs:read"], registeredOrigins });
  expect(await end()).toEqual([]);
  expect(await seen(context, user)).toBeUndefined();
});

test("an update asks for another end than the one that is stored, whatever is drawn", async () => {
  const { context } = await openCase("beta.v1");
  const random = { ...context.random, integer: () => 7 };
  const [{ expiresAt: first = null }] = [grantFields({ ...context, random })];
  const { expiresAt: second = null } = grantFields({ ...context, random }, { expiresAt: first });
  expect(Date.parse(String(second))).not.toBe(Date.parse(String(first)));
});

test("a change by somebody else leaves the user, at another version", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const user = await setup.fresh("customer_user");
  const changed = await setup.change(user);
  expect(changed?.id).toEqual(user.id);
  expect(changed?.version).not.toBe(user.version);
});

test("what users own is of one user, unless it says whose", async () => {
  const { setup } = (await openCase("beta.v1")).context;
  const [session, secret, other] = [
    await setup.fresh("session"),
    await setup.fresh("secret"),
    await setup.fresh("customer_user"),
  ];
  expect(secret.within).toEqual(session.within);
  expect(other.within).not.toEqual(session.within);
});

test("a user that cannot be deleted is left behind", async () => {
  const decoration = failing("beta.v1.CustomerUserService/DeleteCustomerUser");
  const { context, end } = await openCase("beta.v1", { decoration });
  await grantUser(context);
  expect(await end()).toEqual([expect.stringMatching(/^customer_user .* of the own tenant: .* was refused/)]);
});
