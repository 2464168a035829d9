import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, probe, probes, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { judgeWith, judgeWithout } from "./token-works.ts";

/** A token that is asked for: for whom, and for which scope. */
interface Asked {
  readonly user: Subject;
  readonly scope: string;
}

/** Judges that a token has the scope it was asked for, and no other, and works for its own user. */
async function judgeToken(context: CaseContext, issued: Reply, { user, scope }: Asked, other: Subject): Promise<void> {
  const others = [...probes.keys()].filter((one) => one !== scope);
  await judgeWithout(context, user, issued, others, "beta.tokens.requested");
  await judgeWith(context, user, issued, [scope], "beta.auth.scope");
  const token = tokenIn(issued);
  if (token === undefined) return;
  const used = await probe(context, other, scope, token);
  context
    .judge(issued, "beta.isolation.user-list", [used])
    .satisfies(
      used.outcome !== "served",
      "a token that is refused for the other user",
      "one that is served for that user",
      "token",
    );
}

export const tokensAtOnce = defineCase({
  id: "auth/tokens-issued-at-once-are-told-apart",
  says: "browser tokens that are asked for at the same time have the scopes that each was asked for with, and work for its own user alone",
  clauses: ["beta.tokens.requested", "beta.isolation.user-list", "beta.auth.scope"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const [one, other] = await Promise.all([grantUser(context), grantUser(context)]);
    const asked: Asked[] = [
      { user: one, scope: "sessions:read" },
      { user: other, scope: "secrets:read" },
    ];
    // A token that another has ended shows nothing.
    if (await tokensLiveTogether(context))
      asked.push({ user: one, scope: "runs:read" }, { user: other, scope: "sessions:read" });
    const replies = await sendTogether(asked.length, (batch, index) => {
      const { user = one, scope = "" } = asked[index] ?? {};
      return askToken(context, user, { scopes: [scope] }, { batch });
    });
    const [first] = replies;
    // How many may be asked for at a time is not shown.
    if (first !== undefined && replies.every(({ outcome }) => outcome === "refused")) context.needs(first);
    await Promise.all(
      replies.map(async (issued, index) => {
        const ask = asked[index];
        if (issued.outcome === "refused" || ask === undefined) return;
        await judgeToken(context, issued, ask, ask.user === one ? other : one);
      }),
    );
  },
});
