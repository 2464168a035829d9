import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case.ts";
import { askToken, grantUser, issuedToken, probe } from "../../harness/given/browser-tokens.ts";
import type { Subject } from "../../harness/given/subject.ts";
import { textAt } from "../../harness/json.ts";
import type { Credential } from "../../harness/wire/client.ts";

const own = "sessions:read";

export const origins = defineCase({
  id: "auth/origin-and-bounds-are-observed",
  says: "what the Origin of a call, and origins and tools beyond the grant's, come to is recorded",
  clauses: ["beta.open.origin", "beta.open.token-bounds"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { note, given } = context;
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
      note("beta.open.origin", `a browser token with ${what} is ${reply.outcome}`);
    }
    const bounds: readonly (readonly [string, JsonObject])[] = [
      ["an origin", { origins: [foreign] }],
      ["a tool", { allowedToolIds: [given.requestId()], origins: [registered] }],
    ];
    for (const [what, changes] of bounds) {
      const reply = await askToken(context, user, changes);
      note("beta.open.token-bounds", `a token for ${what} its grant does not have is ${reply.outcome}`);
    }
  },
});

export const afterEnd = defineCase({
  id: "auth/tokens-of-an-ended-grant-are-observed",
  says: "what becomes of live tokens and of new ones once a grant is revoked or expires is recorded",
  clauses: ["beta.open.live-tokens"],
  rpc: "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
  async run(context) {
    const { row, given, call, needs, note, until } = context;
    const revoked = await grantUser(context);
    // By the server's own clock, which need not be ours.
    const now = Date.parse(textAt(revoked.record, "createdAt")) || Date.now();
    const brief = await grantUser(context, { expiresAt: new Date(now + 2500).toISOString() });
    const endsAt = Date.now() + 2500;
    const [revokedToken, briefToken] = await Promise.all([
      issuedToken(context, revoked, [own]),
      issuedToken(context, brief, [own]),
    ]);
    needs(await call(row, await given.request(row, revoked)));
    const tell = async (what: string, user: Subject, token: Credential) => {
      const [used, anew] = await Promise.all([
        probe(context, user, own, token),
        askToken(context, user, { scopes: [own] }),
      ]);
      note("beta.open.live-tokens", `a live token of a grant that ${what} is ${used.outcome}`);
      note("beta.open.live-tokens", `a new token under a grant that ${what} is ${anew.outcome}`);
    };
    await tell("was revoked", revoked, revokedToken);
    await until(async () => {
      const used = await probe(context, brief, own, briefToken);
      return used.outcome === "refused" || Date.now() > endsAt ? used : undefined;
    }, 5000);
    await tell("has expired", brief, briefToken);
  },
});
