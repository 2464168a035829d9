import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, probe, shortToken, tokenIn, usualLifetime } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { createTimed } from "../../harness/setup/record-clock.ts";
import { instantOf, showJson } from "../../harness/wire/json.ts";
import { minute, second } from "../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { madeAt } from "../lifecycle/artifacts/url-expiry.ts";
import { judgeWithout } from "./token-works.ts";

const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
const own = "sessions:read";

/** Lifetimes of hours, in seconds: a server may give less than it is asked for. */
const overLong: readonly number[] = [7_300, 43_210];

/** A lifetime of a few seconds: another than the shortest that is issued may be given in its place. */
const fewSeconds = 5;

/** A token that was issued, the lifetime it was asked for and the one it has, in seconds. */
interface Granted {
  readonly issued: Reply;
  readonly asked: number;
  readonly seconds: number;
}

const secondsLeft = (issued: Reply, expires: bigint, made = madeAt(issued)) => Number((expires - made) / second);

/** Judges that no token lives shorter than was asked while others live longer. How long the longest live is open, and clocks may differ by a minute. */
function judgeGranted({ judge }: CaseContext, granted: readonly Granted[]): void {
  const longest = Math.max(0, ...granted.map(({ seconds }) => seconds));
  for (const { issued, asked, seconds } of granted) {
    judge(issued, "beta.tokens.lasts").satisfies(
      seconds >= Math.min(asked, longest) - 60,
      `a token that lives ${Math.min(asked, longest)} s: ${asked} s were asked for, and others live ${longest} s`,
      `one that lives ${seconds} s`,
      "expiresAt",
    );
  }
}

/** Judges that a token says when it ends, after it was issued; clocks may differ by a minute. Returns that instant. */
function judgeEndsLater(
  { judge }: CaseContext,
  issued: Reply,
  expiresAt: JsonValue | undefined,
  made: bigint,
): bigint | undefined {
  const expires = instantOf(expiresAt);
  judge(issued, "beta.urls.expire-later").satisfies(
    expires !== undefined && expires + minute > made,
    "a time after it was issued",
    showJson(expiresAt),
    "expiresAt",
  );
  return expires;
}

/**
 * A new user, and when a token of theirs is made by the target's clock: that of its `Date` header, or, where its records are
 * dated by another, that one.
 */
async function grantTimed(context: CaseContext) {
  const { made: user, aheadMs } = await createTimed(() => grantUser(context));
  return { user, madeBy: (issued: Reply) => madeAt(issued, aheadMs) };
}

export const lifetime = defineCase({
  id: "auth/token-lives-no-longer-than-requested",
  says: "a browser token expires after it was issued, no later than the requested lifetime, and no earlier where longer ones are issued",
  clauses: ["beta.tokens.lifetime", "beta.tokens.lasts", "beta.urls.expire-later"],
  rpc: issuing,
  async run(context) {
    const { judge, needs, observe } = context;
    const { user, madeBy } = await grantTimed(context);
    const usual = await usualLifetime(context);
    const granted: Granted[] = [];
    for (const lifetimeSeconds of new Set([fewSeconds, 60, 600, 3600, ...overLong, usual])) {
      const issued = await askToken(context, user, { lifetimeSeconds });
      // The shortest and longest lifetimes are open.
      if (issued.outcome === "refused" && lifetimeSeconds !== usual) {
        observe("beta.open.token-lifetime", `a lifetime of ${lifetimeSeconds} s is refused`);
        continue;
      }
      const { expiresAt } = needs(issued);
      const made = madeBy(issued);
      const expires = judgeEndsLater(context, issued, expiresAt, made);
      // Clocks may differ by a minute.
      const latest = made + BigInt(lifetimeSeconds + 60) * second;
      judge(issued).satisfies(
        expires === undefined || expires <= latest,
        `a time within ${lifetimeSeconds} s`,
        showJson(expiresAt),
        "expiresAt",
      );
      // What is asked for beyond a server's longest may be given its default.
      if (expires !== undefined && !overLong.includes(lifetimeSeconds))
        granted.push({ issued, asked: lifetimeSeconds, seconds: secondsLeft(issued, expires, made) });
    }
    judgeGranted(context, granted);
    // Whether a lifetime may be left out is not shown (docs/contract/readings.md#27); a token without one still says when it ends.
    const unasked = await askToken(context, user, { lifetimeSeconds: 0 });
    if (unasked.outcome === "served") judgeEndsLater(context, unasked, unasked.json.expiresAt, madeBy(unasked));
    const longest = await askToken(context, user, { lifetimeSeconds: 2 ** 31 });
    const end = longest.outcome === "served" ? instantOf(longest.json.expiresAt) : undefined;
    observe(
      "beta.open.token-lifetime",
      end === undefined
        ? "a lifetime of 68 years is refused"
        : `asked for 68 years, a token lives about ${(end - madeBy(longest)) / (3600n * second)} h`,
    );
  },
});

export const expired = defineCase({
  id: "auth/token-is-refused-once-expired",
  says: "a browser token requested for two seconds works at first and is refused after it has expired",
  waits: true,
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

/** Lifetimes asked for, in seconds: the second where the first was over before the token was used again. */
const lasting = [6, 20] as const;

/** Scopes of the user that such a token is not asked for. */
const ungranted = ["memory:read", "runs:read", "secrets:read"];

/** After which part of its lifetime a token is used again. */
const part = 0.6;

/** Uses a token when more than half of its lifetime is over. Returns false where it was over by then by our own slowness. */
async function usedLate(context: CaseContext, user: Subject, seconds: number): Promise<boolean> {
  const { judge, needs, observe, signal } = context;
  const issued = await askToken(context, user, { scopes: [own], lifetimeSeconds: seconds });
  const token = tokenIn(issued);
  const expires = issued.outcome === "served" ? instantOf(issued.json.expiresAt) : undefined;
  if (issued.outcome === "refused" || token === undefined || expires === undefined) {
    if (issued.outcome !== "refused") needs(issued);
    observe("beta.open.token-lifetime", `a token for ${seconds} s is ${issued.outcome}`);
    return true;
  }
  // By whichever clock it is over first.
  const leftMs = 1000 * Math.min(seconds, secondsLeft(issued, expires));
  if (leftMs < 500 * seconds) {
    observe("beta.open.token-lifetime", `asked for ${seconds} s, a token lives ${leftMs / 1000} s`);
    return true;
  }
  const early = await probe(context, user, own, token);
  await sleep(part * leftMs, signal);
  const used = await probe(context, user, own, token);
  const elapsedMs = used.exchange.startedAt + used.exchange.durationMs - issued.exchange.startedAt;
  // On a slow connection it may be over before it was used: clocks are told by whole seconds.
  if (used.outcome === "refused" && elapsedMs > leftMs - 1000) return false;
  needs(early);
  judge(issued, undefined, [early, used]).satisfies(
    used.outcome === "served",
    `a token that works until its expiry, in ${leftMs / 1000} s`,
    `after ${Math.round(elapsedMs / 100) / 10} s it is ${used.outcome}`,
    "token",
  );
  // What it may do may be looked up anew by then.
  await judgeWithout(context, user, issued, ungranted, "beta.tokens.requested");
  return true;
}

export const untilExpiry = defineCase({
  id: "auth/token-works-until-its-expiry",
  says: "a browser token is still served, and for no further scope, when more than half of its lifetime is over",
  waits: true,
  clauses: ["beta.tokens.lasts", "beta.tokens.requested"],
  rpc: issuing,
  async run(context) {
    const user = await grantUser(context);
    for (const seconds of lasting) if (await usedLate(context, user, seconds)) return;
    throw new Unproven("needs a call with the browser token well before it expires");
  },
});
