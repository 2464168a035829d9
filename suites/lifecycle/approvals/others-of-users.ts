import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { decideAsShown, runAwaitingApproval } from "./decisions.ts";

const decisions = ["APPROVAL_DECISION_APPROVE", "APPROVAL_DECISION_REJECT"];

/** Reads an approval until that is served: readings may lag. */
export const readServed = (context: CaseContext, approval: Subject): Promise<Reply> =>
  lookUntil(
    context,
    () => context.setup.read(approval),
    ({ outcome }) => outcome === "served",
  );

/** How often approvals are made: where one decision reaches others, those of other cases may reach these. */
const attempts = 4;

/** A pending approval of the usual user and one of another, and the reply that shows the latter so. */
async function bothPending(context: CaseContext, beside: CaseContext) {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const [{ approval: own }, { approval: theirs }] = await Promise.all([
      runAwaitingApproval(context),
      runAwaitingApproval(beside),
    ]);
    const before = await readServed(beside, theirs);
    context.needs(before);
    if (textAt(recordIn(before), "state") === "APPROVAL_STATE_PENDING") return { own, theirs, before };
  }
  throw new Unproven("needs an approval of another user that stays pending");
}

export const decidedForItsUser = defineCase({
  id: "lifecycle/approval-is-decided-for-its-user-alone",
  says: "where a user approves or rejects a tool call, the approval that another user has pending is not decided with it",
  clauses: ["beta.isolation.user-mutate"],
  rpc: "beta.v1.ApprovalService/DecideApproval",
  async run(context) {
    const { setup, judge, needs } = context;
    const beside = await setup.asAnotherUser();
    for (const decision of decisions) {
      const { own, theirs, before } = await bothPending(context, beside);
      const reply = await decideAsShown(context, own, decision);
      needs(reply);
      const after = await readServed(beside, theirs);
      needs(after);
      const isApart = judge(reply, undefined, [before, after]).satisfies(
        textAt(recordIn(after), "state") !== textAt(recordIn(reply), "state"),
        "the approval of another user, which nobody has decided, not decided either",
        showJson(recordIn(after)),
        "approval.state",
      );
      if (!isApart) return;
    }
  },
});
