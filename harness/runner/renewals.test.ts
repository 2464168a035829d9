import { expect, test } from "vitest";
import type { Credential } from "../wire/request.ts";
import { createRenewals } from "./renewals.ts";

/** Issues credentials that last for so many milliseconds, the first `most` of them. */
function issuer(lifetimeMs: number | undefined, most = Number.POSITIVE_INFINITY) {
  let count = 0;
  return {
    async mint() {
      if (count >= most) throw new Error("refused");
      count += 1;
      const credential: Credential = { label: "a token", token: `token ${count}` };
      return { credential, until: lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs };
    },
    issued: () => count,
  };
}

test("a credential is issued anew once it soon ends, by whoever uses it first", async () => {
  const renewals = createRenewals();
  const { mint, issued } = issuer(0);
  const first = await renewals.issue(mint);
  const used = await Promise.all([renewals.current(first), renewals.current(first)]);
  expect(used.map(({ token }) => token)).toEqual(["token 2", "token 2"]);
  expect((await renewals.current(first)).token).toBe("token 3");
  expect(issued()).toBe(3);
});

test("a request that is sent again is sent with what it was sent with before", async () => {
  const renewals = createRenewals();
  const first = await renewals.issue(issuer(0).mint);
  const used = await renewals.current(first, "one");
  expect((await renewals.current(first, "two")).token).not.toBe(used.token);
  expect(await renewals.current(first, "one")).toBe(used);
});

test("one that lasts, or does not say how long, is used as it is", async () => {
  for (const lifetimeMs of [60_000, undefined]) {
    const renewals = createRenewals();
    const first = await renewals.issue(issuer(lifetimeMs).mint);
    expect(await renewals.current(first)).toBe(first);
  }
});

test("one that is issued no more is used as it was issued last", async () => {
  const renewals = createRenewals();
  const { mint } = issuer(0, 1);
  const first = await renewals.issue(mint);
  expect(await renewals.current(first)).toBe(first);
  expect(await renewals.current(first)).toBe(first);
});

test("what was issued elsewhere is used as it is", async () => {
  const key: Credential = { label: "a key", token: "key" };
  expect(await createRenewals().current(key)).toBe(key);
});
