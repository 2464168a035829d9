import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { isBefore } from "../../../harness/oracles/agreement.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { withoutApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { isDefault, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { runAwaitingApproval } from "./decisions.ts";
import { judgeDigest } from "./digest.ts";

const getApproval = rpc("beta.v1.ApprovalService/GetApproval");
const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");

/** Judges that a run that awaits approval has a pending approval, which a listing shows with the digest of the proposed arguments. */
async function judgeAwaited(context: CaseContext): Promise<void> {
  const { setup, judge, target } = context;
  const run = await startRun(context, "approval");
  const reads: Reply[] = [];
  const awaits = await context.poll(async () => {
    const reply = await setup.read(run);
    reads.push(reply);
    if (isOver(recordIn(reply))) throw withoutApproval(context);
    return textAt(recordIn(reply), "state") === "RUN_STATE_AWAITING_APPROVAL" ? reply : undefined;
  }, target.settings.patience.settleMs);
  if (awaits === undefined) throw new Unproven("needs a run that awaits approval");
  const request = {
    ...(await setup.request(listApprovals, undefined)),
    ...run.within,
    state: "APPROVAL_STATE_PENDING",
  };
  const list = async () => {
    const { records, replies } = await listAll(context, listApprovals, request);
    const record = records.find((one) => sameJson(one.runId, run.id));
    return { record, reply: pageNaming(replies, run.id) };
  };
  const { record, reply } = await lookUntil(context, list, (seen) => seen.record !== undefined);
  if (reply === undefined) return;
  const found = judge(reply, "*.approvals.awaited", [awaits]).satisfies(
    record !== undefined,
    "a pending approval for the run that awaits it",
    "no page shows one",
    "approvals",
  );
  if (!found || record === undefined) return;
  judgeDigest(context, reply, record, "approvals[]");
  judge(reply, "*.records.times", [awaits]).satisfies(
    !isBefore(record.expiresAt, recordIn(awaits).createdAt),
    `not before its run was created, ${showJson(recordIn(awaits).createdAt)}`,
    showJson(record.expiresAt),
    "approvals[].expiresAt",
  );
}

export const awaited = defineCase({
  id: "lifecycle/awaiting-run-has-a-pending-approval",
  says: "a run that awaits approval has a pending approval, which a listing shows with the digest of the proposed arguments",
  clauses: ["beta.approvals.awaited", "beta.approvals.digest", "beta.records.times"],
  rpc: listApprovals.name,
  run: (context) => inBothTenants(context, judgeAwaited),
});

export const single = defineCase({
  id: "lifecycle/approval-shows-its-run-and-digest",
  says: "an approval names the run that awaits it and has the digest of the proposed arguments",
  clauses: ["beta.approvals.digest", "beta.approvals.awaited"],
  rpc: getApproval.name,
  async run(context) {
    const { setup, judge, needs, observe } = context;
    const { run, approval } = await runAwaitingApproval(context);
    const reply = await setup.read(approval);
    needs(reply);
    judge(reply, "*.approvals.awaited").shows("approval.runId", run.id);
    judge(reply, "*.approvals.awaited").shows("approval.state", "APPROVAL_STATE_PENDING");
    judgeDigest(context, reply, recordIn(reply), "approval");
    const target = objectAt(recordIn(reply), "target");
    observe(
      "*.open.field-constraints",
      `an approval's target says ${Object.keys(target)
        .filter((key) => !isDefault(target[key]))
        .sort()
        .join(", ")}`,
    );
  },
});
