import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { callToCreate, create } from "../../harness/setup/create.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { changeOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { ofOneUser } from "../common/isolation-clause.ts";
import { alike, asRead, makingOf, mutatesNamed } from "./like-records.ts";

/** Makes the call of the row, by a kind of credential, about a record that has the name of another user's; an unfit name is refused. */
async function act(
  context: CaseContext,
  name: Awaited<ReturnType<typeof alike>>,
  kind: CredentialKind,
): Promise<Reply> {
  const { row, setup } = context;
  const making = makingOf(row);
  if (row === making) {
    const as = await setup.credentialOfKind(kind, row);
    return callToCreate(context, row, name.fields, { as });
  }
  const made = await callToCreate(context, making, name.fields);
  if (made.outcome === "refused") return made;
  const own = setup.subjectIn(made);
  return callCurrent(context, own, { as: await setup.credentialOfKind(kind, row, own) });
}

export const likeUserRecords = defineRule({
  id: "isolation/like-record-of-another-user-stays-as-it-is",
  says: "a call that makes, changes or deletes a record of a customer user, by a key or by the user's own token, leaves one of another user as it is that has its name",
  clauses: ["*.isolation.user-mutate", "*.isolation.named-user"],
  rows: (row) => mutatesNamed(row) && ofOneUser(row),
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, judge, needs } = context;
    const there = await setup.asAnotherUser();
    for (const kind of [CredentialKind.BROWSER_TOKEN, CredentialKind.BACKEND_KEY]) {
      const name = await alike(there, makingOf(row));
      const like = await asRead(there, await create(there, makingOf(row), name.fields));
      const reply = await act(context, name, kind);
      // Names may have to be unique, whosever they are.
      if (reply.outcome === "refused")
        throw new ChosenOtherwise(`${reply.row.method} is refused where another has the name`);
      needs(reply);
      const changed = async () => {
        const now = await there.setup.current(like);
        if (now === undefined) return "it is gone";
        const change = changeOf(row.package, like, now.record);
        return change && `before ${change.was}, after ${change.is}`;
      };
      const seen = await lookUntil(there, changed, (change) => change === undefined);
      judge(
        reply,
        kind === CredentialKind.BROWSER_TOKEN ? "*.isolation.user-mutate" : "*.isolation.named-user",
      ).satisfies(seen === undefined, `the ${row.subject} of another user as it was`, seen ?? "");
    }
  },
});
