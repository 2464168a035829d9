import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, issuedToken, probe, probes, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { judgeElsewhere } from "./token-elsewhere.ts";

const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
const scopes = [...probes.keys()];
const own = "sessions:read";
const others = scopes.filter((scope) => scope !== own);

/** Judges that the issued token works for none of these scopes; a refusal to issue it is fine too. */
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
      `no token that works for ${without.join(", ")}`,
      `a token that is accepted by RPCs with scope ${served.join(", ")}`,
      "token",
    );
}

/** The positive control: judges that the issued token works for these scopes. */
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
      `a token that works for ${wanted.join(", ")}`,
      `a token that is refused by RPCs with scope ${refused.join(", ")}`,
      "token",
    );
}

export const allowed = defineCase({
  id: "auth/token-has-no-scope-beyond-its-grant",
  says: "a request for a browser token with scopes its grant does not allow is refused, or the token is issued without them",
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
    const issued = await askToken(context, wide, { scopes });
    await judgeWith(context, wide, issued, scopes, "beta.auth.scope");
    const token = tokenIn(issued);
    if (token !== undefined) await judgeElsewhere(context, token);
  },
});

export const asked = defineCase({
  id: "auth/token-has-no-scope-beyond-those-requested",
  says: "a browser token works for the scopes it was requested with, and for no other scope its grant allows",
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
  says: "after an update of the grant, tokens are issued for the scopes it allows now and not for those it allowed before",
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
      token === undefined ? "it is refused" : "a token that does not work for it",
    );
    await judgeWithout(context, user, lost, [own], "beta.tokens.scopes");
    const after = await probe(context, user, own, live);
    observe(
      "beta.open.live-tokens",
      `a token for a scope an update took away is ${after.outcome === "served" ? "still served" : "no longer served"}`,
    );
  },
});
