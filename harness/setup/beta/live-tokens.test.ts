import { expect, test, vi } from "vitest";
import { CredentialKind, rpc } from "../../../proto/rpcs.ts";
import { findVariant } from "../../servers/variants/index.ts";
import { changing, failing, openCase } from "../case.testing.ts";
import { tokensLiveTogether } from "./live-tokens.ts";

const issue = "beta.v1.CustomerUserService/IssueBrowserToken";
const listSessions = rpc("beta.v1.SessionService/ListSessions");
const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");

/** Opens a case on a server that ends a user's earlier tokens when it issues another. */
async function openWithOneToken() {
  const { decoration } = await findVariant("beta.one-browser-token-a-user");
  return openCase("beta.v1", { decoration });
}

test("tokens of a user live together, which is asked once; the case's own context does then", async () => {
  const { context, asked } = await openCase("beta.v1");
  expect(await Promise.all([tokensLiveTogether(context), tokensLiveTogether(context)])).toEqual([true, true]);
  expect(asked.filter(({ rpc: name }) => name === listSessions.name)).toHaveLength(2);
  const before = asked.length;
  expect(await context.setup.apart()).toBe(context);
  expect(asked).toHaveLength(before);
});

test("that a token ends the earlier ones of its user is learnt, and what serves none shows no choice", async () => {
  expect(await tokensLiveTogether((await openWithOneToken()).context)).toBe(false);
  const none = await openCase("beta.v1", { decoration: failing("beta.v1.SessionService/ListSessions") });
  expect(await tokensLiveTogether(none.context)).toBe(true);
  const keyless = await openCase("beta.v1", { target: changing({ "beta.backendKeys.all": undefined }) });
  expect(await tokensLiveTogether(keyless.context)).toBe(true);
});

test("a token that stops working by itself is not taken for one that another ended", async () => {
  // Each works once.
  const used = new Set<string>();
  const decoration = {
    parts: ({ authenticate }: { authenticate: (context: unknown) => unknown }) => ({
      authenticate(context: { call: { headers: Record<string, string> } }) {
        const { authorization = "" } = context.call.headers;
        if (authorization.includes("beta_bt_") && used.has(authorization)) throw new Error("used");
        used.add(authorization);
        return authenticate(context);
      },
    }),
  };
  expect(await tokensLiveTogether((await openCase("beta.v1", { decoration })).context)).toBe(true);
});

test("where one works at a time, requests for tokens name a user whose tokens no case works with", async () => {
  const { context } = await openWithOneToken();
  const { setup, call, needs } = context;
  const as = await setup.credential(listApprovals);
  for (const name of ["one", "another"]) {
    needs(await call(rpc(issue), await setup.request(rpc(issue), undefined)));
    expect((await call(listApprovals, await setup.request(listApprovals, undefined), { as })).outcome, name).toBe(
      "served",
    );
  }
});

test("apart, tokens of one user with several scopes are used in turn, and end none of the shared user", async () => {
  const { context, endRun } = await openWithOneToken();
  const own = await context.setup.apart();
  const subject = await own.setup.shared("session");
  const outcomeWith = async (kind: "with" | "without") => {
    const { credentialOfKindWithScope, credentialOfKindWithoutScope, request } = own.setup;
    const ofKind = kind === "with" ? credentialOfKindWithScope : credentialOfKindWithoutScope;
    const as = await ofKind(CredentialKind.BROWSER_TOKEN, listSessions, subject);
    return (await own.call(listSessions, await request(listSessions, subject), { as })).outcome;
  };
  const shared = await context.setup.credential(listApprovals);
  const kinds = ["with", "without", "with", "without"] as const;
  const outcomes = await Promise.all(kinds.map(outcomeWith));
  expect(outcomes).toEqual(["served", "refused", "served", "refused"]);
  const request = await context.setup.request(listApprovals, undefined);
  expect(request.customerUserId).not.toEqual(subject.within?.customerUserId);
  expect((await context.call(listApprovals, request, { as: shared })).outcome).toBe("served");
  expect(await endRun()).toEqual([]);
});

test("apart, calls of a batch that come in turn do not wait for one another", async () => {
  const { context } = await openWithOneToken();
  const own = await context.setup.apart();
  const request = await own.setup.request(listApprovals, undefined);
  const as = await own.setup.credential(listApprovals);
  const join = vi.fn((start: () => void) => start());
  const calls = [1, 2, 3].map(() => own.call(listApprovals, request, { as, batch: { join, drop() {} } }));
  expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(["served", "served", "served"]);
  expect(join).not.toHaveBeenCalled();
});

test("those who are apart by one name share their user", async () => {
  const { setup } = (await openWithOneToken()).context;
  const userOf = async (name: string) =>
    (await (await setup.apart(name)).setup.request(listSessions, undefined)).customerUserId;
  expect(await userOf("one")).toEqual(await userOf("one"));
  expect(await userOf("one")).not.toEqual(await userOf("another"));
});

test("as another user a case has records of that user, the same in all cases, whose token works where one does at a time", async () => {
  for (const { context } of [await openCase("beta.v1"), await openWithOneToken()]) {
    const { setup, call } = await context.setup.asAnotherUser();
    const request = await setup.request(listSessions, undefined);
    const own = await context.setup.request(listSessions, undefined);
    expect(request.customerUserId).not.toEqual(own.customerUserId);
    const again = await context.setup.asAnotherUser();
    expect((await again.setup.request(listSessions, undefined)).customerUserId).toEqual(request.customerUserId);
    const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, listSessions);
    expect((await call(listSessions, request, { as })).outcome).toBe("served");
  }
});

test("a package without customer users has no other one", async () => {
  const { context } = await openCase("alpha.v1");
  await expect(context.setup.asAnotherUser()).rejects.toThrow("alpha.v1 has no customer users");
});
