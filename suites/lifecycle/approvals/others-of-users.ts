import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { decideAsShown } from "./decisions.ts";

const decisions = ["APPROVAL_DECISION_APPROVE", "APPROVAL_DECISION_REJECT"];

/** The approval that a new run awaits. */
const pendingIn = async (context: CaseContext): Promise<Subject> =>
  awaitApproval(context, await startRun(context, "approval"));

/** Reads an approval, as its own user, until that is served: readings may lag. */
const readServed = (context: CaseContext, approval: Subject): Promise<Reply> =>
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
    const [own, theirs] = await Promise.all([pendingIn(context), pendingIn(beside)]);
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
