import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { shortToken } from "../../harness/setup/beta/browser-token.ts";
import { browserScopes } from "../../harness/setup/beta/customer-user.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { CredentialKind, Effect, isReadOnly } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { judgeRefusals } from "../common/refusals.ts";

/** An expired token, and until when it may still work, in milliseconds as `performance.now()` counts them. */
interface ExpiredToken {
  readonly as: Credential;
  readonly until: number;
}

/** An expired token of a user, with every scope; undefined where tokens live longer than the case can wait. */
function expiredToken(context: CaseContext, user: Pick<Subject, "id">): Promise<ExpiredToken | undefined> {
  return context.run.once(`an expired token of ${showJson(user.id)}`, () =>
    context.shared(async (outer) => {
      const short = await shortToken(outer, user, [...browserScopes]);
      if (short === undefined) return undefined;
      await sleep(short.leftMs, outer.signal);
      return { as: short.token, until: performance.now() + outer.target.settings.patience.leewayMs };
    }),
  );
}

/** Waits until a row refuses an expired token, or its leeway is over: the nodes that serve rows have clocks of their own. */
async function untilRefused(context: CaseContext, subject: Subject | undefined, { as, until }: ExpiredToken) {
  await context.poll(
    async () => {
      const late = performance.now() >= until;
      const reply = await callCurrent(context, subject, { as });
      return late || reply.outcome !== "served" ? true : undefined;
    },
    Math.max(0, until - performance.now()) + context.target.settings.patience.replyMs,
  );
}

export const expired = defineRule({
  id: "isolation/expired-token-is-refused-everywhere",
  says: "an expired browser token is refused by every RPC that accepts browser tokens, and has no effect",
  waits: true,
  clauses: ["*.tokens.expired", "*.endpoints.served"],
  rows: (row) =>
    row.credentials.includes(CredentialKind.BROWSER_TOKEN) && (isReadOnly(row) || row.effect === Effect.CREATE),
  async run({ row, setup: { apart } }) {
    // One user for all rows: another of its tokens would end the one that is to expire.
    const context = await apart("expired tokens");
    const takesOther = row.credentials.some((kind) => kind !== CredentialKind.BROWSER_TOKEN);
    if (!takesOther && !(await tokensLiveTogether(context)))
      throw new ChosenOtherwise("a browser token ends the earlier ones of its user");
    const { setup, observe, needs } = context;
    const subject = await setup.subjectOf(row);
    const { customerUserId } = await setup.request(row, subject);
    const token = await expiredToken(context, { id: customerUserId ?? null });
    if (token === undefined) {
      needs(await callCurrent(context, subject));
      observe("*.open.token-lifetime", "no token is to be had that lives ten seconds at most");
      return;
    }
    await untilRefused(context, subject, token);
    await judgeRefusals(context, () => [{ because: "its token has expired", options: { as: token.as } }], {
      reasons: ["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"],
      reasonClause: "*.auth.reasons",
    });
  },
});
