import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeSelfChanges } from "../../../harness/oracles/self-changes.ts";
import { withoutApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { listAll, recordIn, subjectFrom } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { decide } from "./decisions.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const pending = "APPROVAL_STATE_PENDING";

/** The approval of a run, in whatever state it is by now. */
async function approvalOf(context: CaseContext, run: Subject): Promise<Subject> {
  const { setup, poll, target } = context;
  const isOwn = (one: JsonObject) => sameJson(one.runId, run.id);
  const found = await poll(async () => {
    const request = { ...setup.tenant(), ...run.within };
    const { records } = await listAll(context, listApprovals, request, {}, (page) => page.some(isOwn));
    return records.find(isOwn);
  }, target.settings.patience.settleMs);
  if (found === undefined) throw withoutApproval(context);
  return subjectFrom(listApprovals, found, { shownBy: listApprovals.name, ...(run.within && { within: run.within }) });
}

export const expired = defineCase({
  id: "lifecycle/undecided-approval-expires",
  says: "an approval that nobody decided is not pending any more once its time is over, and cannot be approved",
  clauses: ["beta.approvals.expired", "beta.records.agree"],
  rpc: "beta.v1.ApprovalService/GetApproval",
  async run(context) {
    const { setup, judge, observe, poll, target } = context;
    const run = await startRun(context, "expiring");
    const approval = await approvalOf(context, run);
    const reads: Reply[] = [];
    const over = await poll(async () => {
      const reply = await setup.read(approval);
      reads.push(reply);
      return reply.outcome === "refused" || textAt(recordIn(reply), "state") !== pending ? reply : undefined;
    }, target.settings.patience.settleMs);
    const last = reads.at(-1) as Reply;
    const held = judge(last, undefined, reads.slice(0, 1)).satisfies(
      over !== undefined,
      `an approval that is not pending after ${showJson(approval.record.expiresAt)}`,
      last.outcome === "served" ? showJson(recordIn(last).state) : describeReply(last),
      "approval.state",
    );
    const shown = reads.filter(({ outcome }) => outcome === "served").map(recordIn);
    judge(last, "*.records.agree", reads.slice(0, 1)).keeps(judgeSelfChanges(shown, "approval"));
    observe(
      "*.open.transitions",
      `an approval that nobody decided is ${textAt(recordIn(last), "state") || last.outcome}`,
    );
    if (!held || last.outcome !== "served") return;
    const late = await decide(context, approval, "APPROVAL_DECISION_APPROVE");
    const now = await setup.read(approval);
    const state = textAt(recordIn(now), "state");
    judge(late, undefined, [now]).satisfies(
      state !== "APPROVAL_STATE_APPROVED",
      `an approval that is still ${textAt(recordIn(last), "state")}: its time is over`,
      `it is ${state}, and the decision was ${late.outcome}`,
      "approval.state",
    );
    const ended = (await follow(context, run)).at(-1);
    const end = ended === undefined ? "" : textAt(recordIn(ended), "state");
    observe("*.open.transitions", `a run whose approval was not decided in time is ${end}`);
  },
});
