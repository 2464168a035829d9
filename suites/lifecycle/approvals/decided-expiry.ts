import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { textAt } from "../../../harness/wire/json.ts";
import { decideAsShown } from "./decisions.ts";
import { inTries, makeExpiring, untilLapsed } from "./unread-expiry.ts";

/** A decision that is sent, and the state it leads to. */
const decisions = [
  ["APPROVAL_DECISION_APPROVE", "APPROVAL_STATE_APPROVED"],
  ["APPROVAL_DECISION_REJECT", "APPROVAL_STATE_REJECTED"],
] as const;

/** Decides an approval before its time is over; undefined where that comes too late. */
async function decideInTime(context: CaseContext, approval: Subject, [sent, state]: (typeof decisions)[number]) {
  // To read it first takes of the time that there is.
  const reply = await decideAsShown(context, approval, sent);
  const decided = reply.outcome === "served" && textAt(recordIn(reply), "state") === state;
  return decided ? reply : undefined;
}

/**
 * Two approvals with the reply to the decision of each, undefined where that came too late, and one that nobody decides.
 * Undefined where both came too late.
 */
async function tryDeciding(context: CaseContext) {
  const [approved, rejected, control] = await makeExpiring(context);
  if (approved === undefined || rejected === undefined || control === undefined)
    throw new Error("no approvals were made");
  const made = [approved, rejected] as const;
  const replies = await Promise.all(
    made.map((approval, index) => decideInTime(context, approval, decisions[index] ?? decisions[0])),
  );
  return replies.some((reply) => reply !== undefined) ? { made, replies, control } : undefined;
}

export const decidedInTime = defineCase({
  id: "lifecycle/decided-approval-stays-decided-after-its-time",
  says: "an approval that was approved or rejected in time shows that decision once its time is over, too",
  clauses: ["beta.approvals.decision"],
  rpc: "beta.v1.ApprovalService/GetApproval",
  waits: true,
  async run(context) {
    const { setup, judge } = context;
    const { made, replies, control } = await inTries(
      () => tryDeciding(context),
      "approvals expire before they can be decided",
    );
    const over = await untilLapsed(context, control);
    for (const [index, approval] of made.entries()) {
      const decided = replies[index];
      if (decided === undefined) continue;
      const read = await setup.read(approval);
      // How long what was decided is kept is not shown.
      if (read.outcome !== "served") continue;
      judge(read, undefined, [decided, over]).shows("approval.state", textAt(recordIn(decided), "state"));
    }
  },
});
