import { defineCase } from "../../../harness/case/case.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeSelfChanges } from "../../../harness/oracles/self-changes.ts";
import { cancelRun } from "../../../harness/setup/beta/run.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { runAwaitingApproval } from "./decisions.ts";
import { judgeRefusedToOthers } from "./others.ts";

const pending = "APPROVAL_STATE_PENDING";

/** What an approval says of what it is about. Where a tool has no destination, there is none to say. */
const said = ["appDisplayName", "toolName"];

export const withdrawn = defineCase({
  id: "lifecycle/approval-of-a-canceled-run-is-not-pending",
  says: "an approval says what it is about, and is not pending any more, at another version, once its run was canceled",
  clauses: [
    "beta.approvals.withdrawn",
    "beta.approvals.target",
    "beta.records.agree",
    "beta.isolation.user-read",
    "beta.isolation.user-mutate",
  ],
  rpc: "beta.v1.ApprovalService/GetApproval",
  async run(context) {
    const { setup, judge, needs, poll, target } = context;
    const { run, approval } = await runAwaitingApproval(context);
    const reads: Reply[] = [await setup.read(approval)];
    const before = recordIn(reads[0] as Reply);
    needs(reads[0] as Reply);
    for (const field of said) {
      const value = textAt(before, `target.${field}`);
      judge(reads[0] as Reply, "*.approvals.target").satisfies(
        !isDefault(value),
        "what it is about",
        showJson(value),
        `approval.target.${field}`,
      );
    }
    const canceled = await cancelRun(context, run);
    if (canceled === undefined) throw new Unproven("needs a cancellation that is accepted");
    needs(canceled);
    const ended = (await follow(context, run)).at(-1) ?? canceled;
    if (!isOver(recordIn(ended))) throw new ChosenOtherwise("a run whose cancellation was accepted goes on");
    const state = await poll(async () => {
      const reply = await setup.read(approval);
      reads.push(reply);
      return reply.outcome === "refused" || textAt(recordIn(reply), "state") !== pending ? reply : undefined;
    }, target.settings.patience.settleMs);
    const last = reads.at(-1) as Reply;
    judge(last, undefined, [ended]).satisfies(
      state !== undefined,
      `an approval that is not pending: its run is ${textAt(recordIn(ended), "state")}`,
      last.outcome === "served" ? showJson(recordIn(last).state) : describeReply(last),
      "approval.state",
    );
    const shown = reads.filter(({ outcome }) => outcome === "served").map(recordIn);
    judge(last, "*.records.agree", reads.slice(0, 1)).keeps(judgeSelfChanges(shown, "approval"));
    if (state !== undefined && last.outcome === "served")
      await judgeRefusedToOthers(context, approval, textAt(recordIn(last), "state"), last);
  },
});
