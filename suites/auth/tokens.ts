import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, issuedToken, probe, probes, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { instantOf, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { madeAt } from "../lifecycle/artifacts/url-expiry.ts";

const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
const scopes = [...probes.keys()];
const own = "sessions:read";
const others = scopes.filter((scope) => scope !== own);
const second = 1_000_000_000n;

/** Judges that what was issued serves none of these scopes; a refusal to issue it is fine too. */
async function judgeWithout(
  context: CaseContext,
  user: Subject,
  issued: Reply,
  without: readonly string[],
  clause: string,
): Promise<void> {
  const token = tokenIn(issued);
  const used = token === undefined ? [] : await Promise.all(without.map((scope) => probe(context, user, scope, token)));
  const served = used.filter((reply) => reply.outcome === "served").map((reply) => reply.row.scope);
  context
    .judge(issued, clause, used)
    .satisfies(
      issued.outcome !== "broken" && served.length === 0,
      `no token that is good for ${without.join(", ")}`,
      `one that is served by the RPCs of ${served.join(", ")}`,
      "token",
    );
}

/** Judges that what was issued serves these scopes: without that, that it serves no others proves nothing. */
async function judgeWith(
  context: CaseContext,
  user: Subject,
  issued: Reply,
  wanted: readonly string[],
  clause: string,
): Promise<void> {
  context.needs(issued);
  const token = tokenIn(issued);
  if (token === undefined) throw new Unproven("needs the browser token a first success shows");
  const used = await Promise.all(wanted.map((scope) => probe(context, user, scope, token)));
  const refused = used.filter((reply) => reply.outcome !== "served").map((reply) => reply.row.scope);
  context
    .judge(issued, clause, used)
    .satisfies(
      refused.length === 0,
      `a token good for ${wanted.join(", ")}`,
      `one that is refused by the RPCs of ${refused.join(", ")}`,
      "token",
    );
}

export const allowed = defineCase({
  id: "auth/token-has-no-scope-beyond-its-grant",
  says: "a browser token asked for with scopes its grant does not allow is refused, or comes without them",
  clauses: ["beta.tokens.scopes", "beta.auth.scope"],
  rpc: issuing,
  async run(context) {
    const [narrow, wide] = await Promise.all([
      grantUser(context, { allowedBrowserTokenScopes: [own] }),
      grantUser(context),
    ]);
    const asks: readonly (readonly string[])[] = [
      [own, ...others],
      ["secrets:write"],
      ["*"],
      [`${own} secrets:write memory:read`],
      ["SECRETS:WRITE", "Secrets:Read"],
    ];
    await Promise.all(
      asks.map(async (asked) => {
        const issued = await askToken(context, narrow, { scopes: [...asked] });
        await judgeWithout(context, narrow, issued, others, "beta.tokens.scopes");
      }),
    );
    await judgeWith(context, narrow, await askToken(context, narrow, { scopes: [own] }), [own], "beta.auth.scope");
    await judgeWith(context, wide, await askToken(context, wide, { scopes }), scopes, "beta.auth.scope");
  },
});

export const asked = defineCase({
  id: "auth/token-has-no-scope-beyond-those-requested",
  says: "a browser token is good for the scopes it was asked for and for no other its grant allows",
  clauses: ["beta.tokens.requested", "beta.auth.scope"],
  rpc: issuing,
  async run(context) {
    const user = await grantUser(context);
    for (const wanted of [[own], ["secrets:read"], ["memory:read", "runs:read"]]) {
      const issued = await askToken(context, user, { scopes: wanted });
      await judgeWith(context, user, issued, wanted, "beta.auth.scope");
      const rest = scopes.filter((scope) => !wanted.includes(scope));
      await judgeWithout(context, user, issued, rest, "beta.tokens.requested");
    }
  },
});

export const updated = defineCase({
  id: "auth/token-scopes-follow-the-updated-grant",
  says: "after an update of the grant a token is had for the scopes it allows now, not for those it allowed before",
  clauses: ["beta.grants.holds", "beta.tokens.scopes"],
  rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const user = await grantUser(context, { allowedBrowserTokenScopes: [own] });
    const live = await issuedToken(context, user, [own]);
    const update = await call(row, {
      ...(await setup.request(row, user)),
      allowedBrowserTokenScopes: ["secrets:read"],
    });
    needs(update);
    const [gained, lost] = await Promise.all([
      askToken(context, user, { scopes: ["secrets:read"] }),
      askToken(context, user, { scopes: [own] }),
    ]);
    const token = tokenIn(gained);
    const used = token === undefined ? [] : [await probe(context, user, "secrets:read", token)];
    judge(update, "beta.grants.holds", [gained, ...used]).satisfies(
      used[0]?.outcome === "served",
      "a token for secrets:read, which the grant allows now",
      token === undefined ? "it is refused" : "one that is not good for it",
    );
    await judgeWithout(context, user, lost, [own], "beta.tokens.scopes");
    const after = await probe(context, user, own, live);
    observe(
      "beta.open.live-tokens",
      `a token for a scope an update took away is ${after.outcome === "served" ? "still served" : "no longer served"}`,
    );
  },
});

export const lifetime = defineCase({
  id: "auth/token-lives-no-longer-than-requested",
  says: "a browser token expires after it was issued and no later than the lifetime asked for",
  clauses: ["beta.tokens.lifetime", "beta.urls.expire-later"],
  rpc: issuing,
  async run(context) {
    const { judge, needs, observe } = context;
    const user = await grantUser(context);
    for (const lifetimeSeconds of [60, 600, 3600]) {
      const issued = await askToken(context, user, { lifetimeSeconds });
      // The longest lifetime is not shown.
      if (issued.outcome === "refused" && lifetimeSeconds > 60) {
        observe("beta.open.token-lifetime", `a lifetime of ${lifetimeSeconds} s is refused`);
        continue;
      }
      const shown = showJson(needs(issued).expiresAt);
      const expires = instantOf(needs(issued).expiresAt);
      judge(issued, "beta.urls.expire-later").satisfies(
        expires !== undefined && expires + 60n * second > madeAt(issued),
        "a time after it was issued",
        shown,
        "expiresAt",
      );
      // A minute for clocks that differ.
      const latest = madeAt(issued) + BigInt(lifetimeSeconds + 60) * second;
      judge(issued).satisfies(
        expires === undefined || expires <= latest,
        `a time within ${lifetimeSeconds} s`,
        shown,
        "expiresAt",
      );
    }
    const longest = await askToken(context, user, { lifetimeSeconds: 2 ** 31 });
    const end = longest.outcome === "served" ? instantOf(longest.json.expiresAt) : undefined;
    observe(
      "beta.open.token-lifetime",
      end === undefined
        ? "a lifetime of 68 years is refused"
        : `asked for 68 years, a token lives about ${(end - madeAt(longest)) / (3600n * second)} h`,
    );
  },
});

/** So much later than its expiry a token may still be served, for clocks that differ a little. */
const leewayMs = 3000;

export const expired = defineCase({
  id: "auth/token-is-refused-once-expired",
  says: "a browser token asked for two seconds is served at first and refused after it has expired",
  clauses: ["beta.tokens.expired"],
  rpc: issuing,
  async run(context) {
    const { judge, needs, observe, poll, target } = context;
    const user = await grantUser(context);
    const issued = await askToken(context, user, { scopes: [own], lifetimeSeconds: 2 });
    const expires = instantOf(needs(issued).expiresAt);
    const token = tokenIn(issued);
    if (token === undefined || expires === undefined)
      throw new Unproven("needs a browser token that says when it expires");
    // A server whose clock is behind ours gives it the two seconds all the same.
    const leftMs = Math.max(2000, Number((expires - madeAt(issued)) / 1_000_000n));
    if (leftMs > 10_000) {
      observe("beta.open.token-lifetime", `asked for 2 s, a token lives ${Math.round(leftMs / 1000)} s`);
      return;
    }
    const first = await probe(context, user, own, token);
    // It may have expired on a slow way here, or while its first use waited for its turn.
    const issuedAt = issued.exchange.startedAt;
    const wayMs = first.exchange.startedAt + first.exchange.durationMs - issuedAt;
    if (wayMs < 1500) judge(first, "beta.endpoints.served").isServed();
    const longAfter = issuedAt + issued.exchange.durationMs + leftMs + leewayMs;
    let last = first;
    const tried = await poll(
      async () => {
        last = await probe(context, user, own, token);
        return last.outcome === "refused" || last.exchange.startedAt >= longAfter ? last : undefined;
      },
      leftMs + leewayMs + target.settings.patience.settleMs,
    );
    if (tried === undefined) throw new Unproven("needs a call with the browser token after it has expired");
    judge(issued, undefined, [first, last]).satisfies(
      last.outcome === "refused",
      "a token that is refused once it has expired",
      `one that is served ${leewayMs / 1000} s after its expiry`,
      "token",
    );
  },
});
