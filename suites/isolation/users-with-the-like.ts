import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { CredentialKind, Effect, isReadOnly } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/**
 * Has the record's own user ask for what others are refused right afterwards: a reading is served, a change refused for its
 * version. What a server decides about it then is not to hold for others.
 */
async function askAsItsUser(
  { row, setup, call, needs }: CaseContext,
  valid: JsonObject,
  subject: Subject,
): Promise<void> {
  if (!isReadOnly(row) && row.expectedVersion === undefined) return;
  const version = row.expectedVersion && { [row.expectedVersion.name]: String(farFrom(numericVersion(subject))) };
  const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, subject);
  const asked = { ...valid, ...version, ...freshRequestId(row, setup) };
  const reply = await call(row, asked, { baseUrl: setup.baseUrl(row, subject), ...untilServed(row), as });
  if (isReadOnly(row)) {
    needs(reply);
    return;
  }
  // What its own user's call did is not to be taken for what the other's does.
  const { visible } = await setup.effectOn(row, subject);
  if (reply.outcome === "served" || visible)
    throw new Unproven("needs a change that is refused for its version, and changes nothing");
}

export const usersWithTheLike = defineRule({
  id: "isolation/user-with-the-like-is-refused-anothers-record",
  says: "a record of one customer user is refused to another who has the like, just after its own user asked for it",
  clauses: ["*.isolation.user-read", "*.isolation.user-stream", "*.isolation.user-mutate"],
  rows: (row) =>
    ofOneUser(row) && row.list === undefined && row.effect !== Effect.CREATE && subjectFieldOf(row) !== undefined,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup } = context;
    const there = await setup.asAnotherUser();
    const like = await there.setup.shared(row.subject);
    const as = await there.setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, like);
    const clause = userIsolationClause(row);
    await judgeRefusals(context, async (valid, subject): Promise<Attempt[]> => {
      if (subject !== undefined) await askAsItsUser(context, valid, subject);
      return [
        { because: "its token is another user's, who has the like", options: { as }, clause },
        {
          because: "it names a record of another user, and the caller has the like",
          changes: { customerUserId: like.within?.customerUserId ?? null },
          options: { as },
          clause,
        },
      ];
    });
  },
});
