import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, issuedToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, mayBeRefusedForRequest } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { callCurrent } from "../common/current-call.ts";
import { judgeClientFault } from "../common/server-error.ts";

const own = "sessions:read";
const grantRow = "beta.v1.CustomerUserService/CreateCustomerUserGrant";

export const origins = defineCase({
  id: "auth/token-origin-and-grant-bounds-are-observed",
  says: "whether a browser token works with another Origin, and whether one may name origins and tools beyond its grant, is recorded; what is refused for that is no server error",
  clauses: ["beta.open.origin", "beta.open.token-bounds", "beta.errors.client-fault"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { observe, setup } = context;
    const registered = "https://registered.hallmark.invalid:8443";
    const foreign = "https://foreign.hallmark.invalid:8443";
    const user = await grantUser(context, { registeredOrigins: [registered] });
    const { origin: _, ...token } = await issuedToken(context, user, [own], { origins: [registered] });
    const sent = [
      ["no Origin", []],
      ["its own Origin", [["origin", registered]]],
      ["another Origin", [["origin", foreign]]],
    ] as const;
    for (const [what, headers] of sent) {
      const reply = await probe(context, user, own, token, { headers });
      observe("beta.open.origin", `a browser token with ${what} is ${reply.outcome}`);
      judgeClientFault(context, reply, `the token comes with ${what}`);
    }
    const bounds: readonly (readonly [string, JsonObject])[] = [
      ["an origin", { origins: [foreign] }],
      ["a tool", { allowedToolIds: [setup.requestId()], origins: [registered] }],
    ];
    for (const [what, changes] of bounds) {
      const reply = await askToken(context, user, changes);
      observe("beta.open.token-bounds", `a token for ${what} its grant does not have is ${reply.outcome}`);
      judgeClientFault(context, reply, `the grant does not have ${what} that is asked for`);
    }
  },
});

/** How long a short grant lasts, in milliseconds: the second where the first ended before it was made, or a token issued under it. */
const shortGrantMs = [2500, 12_000] as const;

/**
 * A grant that ends soon, a token issued under it, and when it ends by our clock; `fasterMs` is how far the server's
 * clock is ahead of ours. Undefined where the target makes no grant that ends so soon.
 */
async function shortGrant(context: CaseContext, fasterMs: number) {
  let failed: Unproven | undefined;
  for (const lastsMs of shortGrantMs) {
    const since = Date.now();
    try {
      // By the server's own clock, which need not be ours.
      const user = await grantUser(context, { expiresAt: new Date(since + fasterMs + lastsMs).toISOString() });
      const reply = await askToken(context, user, { scopes: [own] });
      const token = tokenIn(reply);
      if (token !== undefined) return { user, token, endsAt: since + lastsMs, lastsMs };
      failed = new Unproven(`needs a token under a grant that ends soon; it was ${describeReply(reply)}`, reply);
    } catch (error) {
      if (!(error instanceof Unproven)) throw error;
      failed = error;
    }
  }
  const { reply } = failed ?? {};
  // How soon a grant may end is not shown; that grants of a day are made, all other cases show.
  if (reply?.row.name === grantRow && mayBeRefusedForRequest(reply)) return undefined;
  throw failed ?? new Unproven("needs a token under a grant that ends soon");
}

export const afterEnd = defineCase({
  id: "auth/tokens-of-an-ended-grant-are-observed",
  says: "whether live tokens still work, and new ones are issued, once a grant is revoked or has expired is recorded; what is refused for that is no server error",
  waits: true,
  clauses: ["beta.open.live-tokens", "beta.errors.client-fault"],
  rpc: "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
  async run(context) {
    const { needs, observe, poll } = context;
    const revoked = await grantUser(context);
    const fasterMs = (Date.parse(textAt(revoked.record, "createdAt")) || Date.now()) - Date.now();
    const [revokedToken, short] = await Promise.all([
      issuedToken(context, revoked, [own]),
      shortGrant(context, fasterMs),
    ]);
    needs(await callCurrent(context, revoked));
    const observeTokens = async (what: string, user: Subject, token: Credential) => {
      const used = await probe(context, user, own, token);
      observe("beta.open.live-tokens", `a live token of a grant that ${what} is ${used.outcome}`);
      judgeClientFault(context, used, `the grant of the token ${what}`);
      // It may end the live one.
      const fresh = await askToken(context, user, { scopes: [own] });
      observe("beta.open.live-tokens", `a new token under a grant that ${what} is ${fresh.outcome}`);
      judgeClientFault(context, fresh, `the grant ${what}`);
    };
    await observeTokens("was revoked", revoked, revokedToken);
    if (short === undefined) {
      observe("beta.open.live-tokens", "a grant that ends within seconds is refused");
      return;
    }
    await poll(async () => {
      const used = await probe(context, short.user, own, short.token);
      return used.outcome === "refused" || Date.now() > short.endsAt ? used : undefined;
    }, 2 * short.lastsMs);
    await observeTokens("has expired", short.user, short.token);
  },
});
