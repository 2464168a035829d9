import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { judgeSelfChanges } from "../../../harness/oracles/self-changes.ts";
import { withoutApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, subjectFrom } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { decide } from "./decisions.ts";
import { judgeDigest } from "./digest.ts";
import { judgeHiddenFromOthers, judgeRefusedToOthers } from "./others.ts";
import { undecidedApprovals } from "./undecided.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const pending = "APPROVAL_STATE_PENDING";

/** The approval of a run, in whatever state it is by now. */
async function approvalOf(context: CaseContext, run: Subject): Promise<Subject> {
  const { poll, target } = context;
  const found = await poll(
    async () => (await undecidedApprovals(context, [run])).at(0),
    target.settings.patience.settleMs,
  );
  if (found === undefined) throw withoutApproval(context);
  return subjectFrom(listApprovals, found, { shownBy: listApprovals.name, ...(run.within && { within: run.within }) });
}

/** States in which an approval stays. */
const finalStates = ["APPROVED", "REJECTED", "EXPIRED", "CANCELED"].map((short) => `APPROVAL_STATE_${short}`);

/** Judges that an approval that is over is listed by its state and by no other, with the digest of what it proposed. */
async function judgeListed(context: CaseContext, approval: Subject, shown: Reply): Promise<void> {
  const { setup, judge } = context;
  const own = textAt(recordIn(shown), "state");
  const request = { ...setup.tenant(), ...approval.within };
  for (const state of finalStates) {
    const { records, replies } = await listAll(context, listApprovals, { ...request, state });
    const last = replies.at(-1);
    if (last === undefined) continue;
    // States that are final: what is in one stays there, so that it is in another in no listing, however late.
    const odd = records.find((one) => finalStates.includes(textAt(one, "state")) && textAt(one, "state") !== state);
    judge(last, "*.filters.hold", [shown]).satisfies(
      odd === undefined,
      `${state} only`,
      showJson(odd ?? null),
      "approvals[].state",
    );
    const listed = records.find((one) => state === own && sameJson(one.approvalId, approval.id));
    if (listed !== undefined) judgeKeptDigest(context, last, listed, "approvals[]");
  }
}

/** Judges that an approval that was read as over is not listed as pending any more. A listing may lag. */
async function judgeNotPending(context: CaseContext, approval: Subject, shown: Reply): Promise<void> {
  const { setup, judge } = context;
  const request = { ...setup.tenant(), ...approval.within, state: pending };
  const isOwn = (one: JsonObject) => sameJson(one.approvalId, approval.id);
  const { records, replies } = await lookUntil(
    context,
    () => listAll(context, listApprovals, request),
    (listed) => !listed.records.some(isOwn),
  );
  const own = records.find(isOwn);
  const reply = pageNaming(replies, approval.id) ?? replies.at(-1);
  if (reply === undefined) return;
  judge(reply, "*.records.agree", [shown]).satisfies(
    own === undefined,
    `no approval among the pending ones that is read as ${textAt(recordIn(shown), "state")}`,
    showJson(own ?? null),
    "approvals[].state",
  );
}

/** Judges the digest of arguments that are still shown: that they are kept once an approval is over is not shown. */
function judgeKeptDigest(context: CaseContext, reply: Reply, approval: JsonObject, at: string): void {
  if (textAt(approval, "proposedArguments.value") !== "") judgeDigest(context, reply, approval, at);
}

export const expired = defineCase({
  id: "lifecycle/undecided-approval-expires",
  says: "an approval that nobody decided is not pending any more once its time is over, is listed as what it is then, and cannot be approved",
  clauses: [
    "beta.approvals.expired",
    "beta.records.agree",
    "beta.approvals.digest",
    "beta.filters.hold",
    "beta.isolation.user-list",
    "beta.isolation.user-read",
    "beta.isolation.user-mutate",
  ],
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
    judgeKeptDigest(context, last, recordIn(last), "approval");
    await judgeListed(context, approval, last);
    await judgeNotPending(context, approval, last);
    await judgeHiddenFromOthers(context, approval, textAt(recordIn(last), "state"), last);
    await judgeRefusedToOthers(context, approval, textAt(recordIn(last), "state"), last);
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
