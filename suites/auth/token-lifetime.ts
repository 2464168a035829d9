import { defineCase } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, probe, shortToken, usualLifetime } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { instantOf, showJson } from "../../harness/wire/json.ts";
import { madeAt } from "../lifecycle/artifacts/url-expiry.ts";

const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
const own = "sessions:read";
const second = 1_000_000_000n;

export const lifetime = defineCase({
  id: "auth/token-lives-no-longer-than-requested",
  says: "a browser token expires after it was issued, and no later than the requested lifetime",
  clauses: ["beta.tokens.lifetime", "beta.urls.expire-later"],
  rpc: issuing,
  async run(context) {
    const { judge, needs, observe } = context;
    const user = await grantUser(context);
    const usual = await usualLifetime(context);
    for (const lifetimeSeconds of new Set([60, 600, 3600, usual])) {
      const issued = await askToken(context, user, { lifetimeSeconds });
      // The shortest and longest lifetimes are open.
      if (issued.outcome === "refused" && lifetimeSeconds !== usual) {
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
      // Clocks may differ by a minute.
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

export const expired = defineCase({
  id: "auth/token-is-refused-once-expired",
  says: "a browser token requested for two seconds works at first and is refused after it has expired",
  clauses: ["beta.tokens.expired"],
  rpc: issuing,
  async run(context) {
    const { judge, observe, poll, target } = context;
    const { leewayMs, settleMs } = target.settings.patience;
    const user = await grantUser(context);
    const short = await shortToken(context, user, [own]);
    if (short === undefined) {
      observe("beta.open.token-lifetime", "no token is to be had that lives ten seconds at most");
      return;
    }
    const { issued, token, leftMs } = short;
    const first = await probe(context, user, own, token);
    // On a slow connection, or while its first use was queued, it may have expired already.
    const issuedAt = issued.exchange.startedAt;
    const elapsedMs = first.exchange.startedAt + first.exchange.durationMs - issuedAt;
    if (elapsedMs < 1500) judge(first, "beta.endpoints.served").isServed();
    const longAfter = issuedAt + issued.exchange.durationMs + leftMs + leewayMs;
    let last = first;
    const tried = await poll(
      async () => {
        last = await probe(context, user, own, token);
        return last.outcome === "refused" || last.exchange.startedAt >= longAfter ? last : undefined;
      },
      leftMs + leewayMs + settleMs,
    );
    if (tried === undefined) throw new Unproven("needs a call with the browser token after it has expired");
    judge(issued, undefined, [first, last]).satisfies(
      last.outcome === "refused",
      "a token that is refused once it has expired",
      `a token that still works ${leewayMs / 1000} s after its expiry`,
      "token",
    );
  },
});
