import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, issuedToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import type { Credential } from "../../harness/wire/client.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";

const own = "sessions:read";

export const origins = defineCase({
  id: "auth/token-origin-and-grant-bounds-are-observed",
  says: "what the Origin of a call, and origins and tools beyond the grant's, come to is recorded",
  clauses: ["beta.open.origin", "beta.open.token-bounds"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { observe, setup } = context;
    const registered = "https://registered.hallmark.invalid:443";
    const foreign = "https://foreign.hallmark.invalid:443";
    const user = await grantUser(context, { registeredOrigins: [registered] });
    const { origin: _, ...token } = await issuedToken(context, user, [own], { origins: [registered] });
    const browser = registered.replace(/:443$/, "");
    const sent = [
      ["no Origin", []],
      ["its own Origin", [["origin", browser]]],
      ["another Origin", [["origin", foreign.replace(/:443$/, "")]]],
    ] as const;
    for (const [what, headers] of sent) {
      const reply = await probe(context, user, own, token, { headers });
      observe("beta.open.origin", `a browser token with ${what} is ${reply.outcome}`);
    }
    const bounds: readonly (readonly [string, JsonObject])[] = [
      ["an origin", { origins: [foreign] }],
      ["a tool", { allowedToolIds: [setup.requestId()], origins: [registered] }],
    ];
    for (const [what, changes] of bounds) {
      const reply = await askToken(context, user, changes);
      observe("beta.open.token-bounds", `a token for ${what} its grant does not have is ${reply.outcome}`);
    }
  },
});

/** How long a brief grant holds, in milliseconds: longer where it ends before a token was issued under it. */
const briefMs = [2500, 12_000] as const;

/** A grant that ends soon, a token issued under it, and when it ends by our clock. */
async function endSoon(context: CaseContext, fasterMs: number) {
  let reply: Reply | undefined;
  for (const holdsMs of briefMs) {
    const since = Date.now();
    // By the server's own clock, which need not be ours.
    const expiresAt = new Date(since + fasterMs + holdsMs).toISOString();
    const user = await grantUser(context, { expiresAt });
    reply = await askToken(context, user, { scopes: [own] });
    const token = tokenIn(reply);
    if (token !== undefined) return { user, token, endsAt: since + holdsMs, holdsMs };
  }
  throw new Unproven(`needs a token under a grant that ends soon; it was ${reply && describeReply(reply)}`, reply);
}

export const afterEnd = defineCase({
  id: "auth/tokens-of-an-ended-grant-are-observed",
  says: "what becomes of live tokens and of new ones once a grant is revoked or expires is recorded",
  clauses: ["beta.open.live-tokens"],
  rpc: "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
  async run(context) {
    const { row, setup, call, needs, observe, poll } = context;
    const revoked = await grantUser(context);
    const fasterMs = (Date.parse(textAt(revoked.record, "createdAt")) || Date.now()) - Date.now();
    const [revokedToken, brief] = await Promise.all([issuedToken(context, revoked, [own]), endSoon(context, fasterMs)]);
    needs(await call(row, await setup.request(row, revoked)));
    const tell = async (what: string, user: Subject, token: Credential) => {
      const [used, anew] = await Promise.all([
        probe(context, user, own, token),
        askToken(context, user, { scopes: [own] }),
      ]);
      observe("beta.open.live-tokens", `a live token of a grant that ${what} is ${used.outcome}`);
      observe("beta.open.live-tokens", `a new token under a grant that ${what} is ${anew.outcome}`);
    };
    await tell("was revoked", revoked, revokedToken);
    await poll(async () => {
      const used = await probe(context, brief.user, own, brief.token);
      return used.outcome === "refused" || Date.now() > brief.endsAt ? used : undefined;
    }, 2 * brief.holdsMs);
    await tell("has expired", brief.user, brief.token);
  },
});
