import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { browserScopes } from "../../harness/setup/beta/customer-user.ts";
import { instantOf, showJson } from "../../harness/wire/json.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { CredentialKind, Effect, isReadOnly } from "../../proto/rpcs.ts";
import { callCurrent, judgeRefusals } from "../common/refusals.ts";
import { madeAt } from "../lifecycle/artifacts/url-expiry.ts";

/** How long after its expiry a token may still work, in milliseconds: clocks differ a little. */
const leewayMs = 3000;
/** A token that was requested for two seconds and lives longer than this is not waited for, in milliseconds. */
const maxLifetimeMs = 10_000;

/** An expired token of a user, with every scope; undefined where tokens live longer than the case can wait. */
function expiredToken(context: CaseContext, user: Pick<Subject, "id">): Promise<Credential | undefined> {
  return context.run.once(`an expired token of ${showJson(user.id)}`, () =>
    context.shared(async (outer) => {
      const issued = await askToken(outer, user as Subject, { scopes: [...browserScopes], lifetimeSeconds: 2 });
      const expires = instantOf(outer.needs(issued).expiresAt);
      const token = tokenIn(issued);
      if (token === undefined || expires === undefined)
        throw new Unproven("needs a browser token that says when it expires");
      // A server whose clock is behind ours still gives it two seconds.
      const leftMs = Math.max(2000, Number((expires - madeAt(issued)) / 1_000_000n));
      if (leftMs > maxLifetimeMs) return undefined;
      await sleep(leftMs + leewayMs, outer.signal);
      return token;
    }),
  );
}

export const expired = defineRule({
  id: "isolation/expired-token-is-refused-everywhere",
  says: "an expired browser token is refused by every RPC that accepts browser tokens, and has no effect",
  clauses: ["*.tokens.expired", "*.endpoints.served"],
  rows: (row) =>
    row.credentials.includes(CredentialKind.BROWSER_TOKEN) && (isReadOnly(row) || row.effect === Effect.CREATE),
  async run(context) {
    const { row, setup, observe, needs } = context;
    const subject = await setup.subjectOf(row);
    const { customerUserId } = await setup.request(row, subject);
    const as = await expiredToken(context, { id: customerUserId ?? null });
    if (as === undefined) {
      needs(await callCurrent(context, subject));
      observe("*.open.token-lifetime", "a token asked for two seconds lives longer than ten");
      return;
    }
    await judgeRefusals(context, () => [{ because: "its token has expired", options: { as } }], {
      reasons: ["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"],
      reasonClause: "*.auth.reasons",
    });
  },
});
