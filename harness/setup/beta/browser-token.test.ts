import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { failing, openCase } from "../case.testing.ts";
import { askToken, issuedToken, mintToken, probe, probes, tokenIn } from "./browser-token.ts";
import { browserScopes, grantUser } from "./customer-user.ts";

const issue = "beta.v1.CustomerUserService/IssueBrowserToken";

test("a token has the scopes it was asked for, and no other", async () => {
  const { context } = await openCase("beta.v1");
  const user = await grantUser(context);
  const token = await issuedToken(context, user, ["sessions:read"]);
  expect((await probe(context, user, "sessions:read", token)).outcome).toBe("served");
  expect((await probe(context, user, "runs:read", token)).outcome).toBe("refused");
});

test("it is guarded, and comes from the origin it was asked for", async () => {
  const { context } = await openCase("beta.v1");
  const reply = await askToken(context, await grantUser(context));
  const token = tokenIn(reply) ?? expect.fail("there is no token");
  expect(context.run.secrets.find(token.token)).not.toEqual([]);
  expect(token.origin).toBe(new URL(String((reply.request.origins as string[])[0])).origin);
});

test("where none is issued the case is unproven", async () => {
  const { context } = await openCase("beta.v1", { decoration: failing(issue) });
  const user = await grantUser(context);
  expect(tokenIn(await askToken(context, user))).toBeUndefined();
  await expect(issuedToken(context, user, ["runs:read"])).rejects.toThrow(
    `needs a browser token; ${issue} was refused`,
  );
});

test("one that lasts is asked for, a shorter one where that is refused", async () => {
  const decoration = { choices: { longTokenLifetime: "refuse", maximumTokenLifetimeSeconds: 300 } };
  const { context, asked } = await openCase("beta.v1", { decoration });
  const { credential: token } = await mintToken(context, "the own tenant", await grantUser(context));
  expect(token.label).toBe("beta browser token (the own tenant, all scopes)");
  const lifetimes = asked.filter(({ rpc: name }) => name === issue).map(({ request }) => request.lifetimeSeconds);
  expect(lifetimes).toEqual([3600, 600, 120]);
});

test("a token of a row that takes no key is made once for all", async () => {
  const { context, asked } = await openCase("beta.v1");
  const row = rpc("beta.v1.ApprovalService/ListApprovals");
  const [one, other] = await Promise.all([context.setup.credential(row), context.setup.credential(row)]);
  expect(one).toBe(other);
  expect(asked.filter(({ rpc: name }) => name === issue)).toHaveLength(1);
  expect((await context.call(row, await context.setup.request(row, undefined))).outcome).toBe("served");
});

test("scopes that an RPC shows are among those a token may have", () => {
  expect(probes.size).toBeGreaterThan(4);
  expect(new Set(browserScopes).isSupersetOf(new Set(probes.keys()))).toBe(true);
});
