import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { cancelRun, startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { listRecords } from "../../../harness/setup/read.ts";
import { recordIn, subjectFrom, versionOf } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { judgeUnmoved } from "../../common/unmoved.ts";
import { judgeHeard } from "./decided-runs.ts";
import { judgeDigest } from "./digest.ts";
import { judgeHiddenFromOthers } from "./others.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

interface Decision {
  readonly name: "approved" | "rejected";
  readonly sent: string;
  readonly state: string;
  readonly other: string;
}

const decisions: readonly Decision[] = [
  {
    name: "approved",
    sent: "APPROVAL_DECISION_APPROVE",
    state: "APPROVAL_STATE_APPROVED",
    other: "APPROVAL_DECISION_REJECT",
  },
  {
    name: "rejected",
    sent: "APPROVAL_DECISION_REJECT",
    state: "APPROVAL_STATE_REJECTED",
    other: "APPROVAL_DECISION_APPROVE",
  },
];

/** Starts a run that awaits approval, and waits for the approval. */
export async function runAwaitingApproval(
  context: CaseContext,
): Promise<{ readonly run: Subject; readonly approval: Subject }> {
  const run = await startRun(context, "approval");
  return { run, approval: await awaitApproval(context, run) };
}

/** An approval as it is now; as it was known where nothing shows it. */
async function asItIs({ setup }: CaseContext, approval: Subject): Promise<Subject> {
  return (await setup.current(approval)) ?? approval;
}

/** Decides an approval at its current version. */
export async function decide(context: CaseContext, approval: Subject, decision: string): Promise<Reply> {
  return decideAsShown(context, await asItIs(context, approval), decision);
}

/** Decides an approval at the version it was shown with: to read it again takes time, or is what nobody is to do. */
export async function decideAsShown({ setup, call }: CaseContext, approval: Subject, decision: string): Promise<Reply> {
  return call(decideApproval, { ...(await setup.request(decideApproval, approval)), decision });
}

/** Approves whatever a run waits for until it has ended, or patience ends: how many approvals one asks for is not shown. */
export async function approveAll(context: CaseContext, run: Subject): Promise<void> {
  const { poll, setup, target } = context;
  const filter = { ...run.within, state: "APPROVAL_STATE_PENDING" };
  await poll(async () => {
    const now = await setup.current(run);
    if (now === undefined || isOver(now.record)) return true;
    const pending = await listRecords(context, listApprovals, filter);
    const asked = pending.find((one) => sameJson(one.runId, run.id));
    if (asked !== undefined)
      await decide(
        context,
        subjectFrom(listApprovals, asked, { within: run.within ?? {} }),
        "APPROVAL_DECISION_APPROVE",
      );
    return undefined;
  }, target.settings.patience.settleMs);
}

/** Judges that a read and a listing by state show the approval as decided. */
async function judgeShown(context: CaseContext, approval: Subject, decided: Reply, state: string): Promise<void> {
  const { setup, judge } = context;
  const request = { ...(await setup.request(listApprovals, undefined)), ...approval.within, state };
  const { read, listed } = await lookUntil(
    context,
    async () => ({ read: await setup.read(approval), listed: await listAll(context, listApprovals, request) }),
    (seen) =>
      textAt(recordIn(seen.read), "state") === state &&
      findRecord(seen.listed.records, listApprovals, approval.id) !== undefined,
  );
  judge(read, "*.approvals.decision", [decided]).shows("approval.state", state);
  for (const reply of [decided, read]) {
    // That arguments are kept once they were decided on is not shown; their digest is of what stands beside it.
    const isShown = textAt(recordIn(reply), "proposedArguments.value") !== "";
    if (reply.outcome === "served" && isShown) judgeDigest(context, reply, recordIn(reply), "approval");
  }
  const last = listed.replies.at(-1);
  if (last === undefined) return;
  // Other approvals of the user may be decided at this moment; this one changes no more.
  const isElsewhere = async () => {
    const pending = await listAll(context, listApprovals, { ...request, state: "APPROVAL_STATE_PENDING" });
    return findRecord(pending.records, listApprovals, approval.id) === undefined ? undefined : pending.replies.at(-1);
  };
  const elsewhere = await lookUntil(context, isElsewhere, (reply) => reply === undefined);
  const unfit = listed.records.find((one) => sameJson(one.approvalId, approval.id) && !sameJson(one.state, state));
  judge(elsewhere ?? last, "*.filters.hold", [decided]).satisfies(
    elsewhere === undefined && unfit === undefined,
    `the ${state} approval in listings of that state alone`,
    elsewhere === undefined ? showJson(unfit?.state) : "it is listed as pending",
    "approvals[].state",
  );
  const found = findRecord(listed.records, listApprovals, approval.id) !== undefined;
  judge(last, "*.filters.complete", [decided]).satisfies(found, `the approval among the ${state}`, "no page shows it");
}

/** Judges that the opposite decision is refused, and leaves the approval as decided, at its version. */
async function judgeFinal(context: CaseContext, approval: Subject, decided: Reply, decision: Decision): Promise<void> {
  const { setup, judge } = context;
  const before = await asItIs(context, approval);
  const again = await decideAsShown(context, before, decision.other);
  const final = judge(again, "*.approvals.final", [decided]);
  const because = `it is ${decision.name} already`;
  if (!final.isRefused({ because })) return;
  const read = await setup.read(approval);
  final.satisfies(
    sameJson(recordIn(read).state, decision.state),
    `still ${decision.state}`,
    read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read),
    "approval.state",
  );
  await judgeUnmoved(context, before, again, read);
}

export const decided = decisions.map((decision) =>
  defineCase({
    id: `lifecycle/${decision.name}-approval-is-shown-and-final`,
    says: `an approval that was ${decision.name} is shown as ${decision.name}, and cannot be decided differently`,
    clauses: [
      "beta.approvals.decision",
      "beta.approvals.final",
      "beta.approvals.awaited",
      "beta.approvals.digest",
      "beta.filters.complete",
      "beta.filters.hold",
      "beta.isolation.user-list",
      "beta.versioning.advances",
      "beta.versioning.refused-keep",
    ],
    rpc: decideApproval.name,
    async run(context) {
      const { judge, needs, observe } = context;
      const { run, approval } = await runAwaitingApproval(context);
      const pending = await asItIs(context, approval);
      const reply = await decideAsShown(context, pending, decision.sent);
      needs(reply);
      judge(reply).shows("approval.state", decision.state);
      const version = versionOf(recordIn(reply));
      judge(reply, "*.versioning.advances").satisfies(
        version !== pending.version,
        `another version than ${pending.version}`,
        version,
        "approval.resourceVersion",
      );
      await judgeShown(context, approval, reply, decision.state);
      await judgeHiddenFromOthers(context, approval, decision.state, reply);
      await judgeFinal(context, approval, reply, decision);

      const same = await decide(context, approval, decision.sent);
      observe("*.open.transitions", `the same decision again is ${same.outcome}`);
      const ended = (await follow(context, run)).at(-1);
      if (ended === undefined || !isOver(recordIn(ended))) {
        await judgeHeard(context, run, reply);
        return;
      }
      observe(
        "*.open.transitions",
        `a run whose tool call was ${decision.name} ends ${textAt(recordIn(ended), "state")}`,
      );
    },
  }),
);

export const tooLate = defineCase({
  id: "lifecycle/decision-leaves-a-canceled-run-ended",
  says: "a decision after its run was canceled leaves the run ended, and an approval that was canceled with it canceled",
  clauses: ["beta.runs.settle", "beta.approvals.withdrawn"],
  rpc: decideApproval.name,
  async run(context) {
    const { setup, call, judge, needs, observe, target } = context;
    const { run, approval } = await runAwaitingApproval(context);
    const canceled = await cancelRun(context, run);
    if (canceled === undefined) throw new Unproven("needs a cancellation that is accepted");
    needs(canceled);
    const ended = (await follow(context, run)).at(-1) ?? canceled;
    if (!isOver(recordIn(ended))) throw new ChosenOtherwise("a run whose cancellation was accepted goes on");
    const state = textAt(recordIn(ended), "state");
    const now = (await setup.current(approval)) ?? approval;
    observe("*.open.transitions", `the approval of a canceled run is ${textAt(now.record, "state")}`);
    const request = await setup.request(decideApproval, { ...now, version: versionOf(now.record) });
    const reply = await call(decideApproval, { ...request, decision: "APPROVAL_DECISION_APPROVE" });
    observe("*.open.transitions", `a decision after its run was canceled is ${reply.outcome}`);
    if (textAt(now.record, "state") === "APPROVAL_STATE_CANCELED") {
      const read = await setup.read(approval);
      judge(reply, "*.approvals.withdrawn", [read]).satisfies(
        textAt(recordIn(read), "state") !== "APPROVAL_STATE_APPROVED",
        "an approval that is still APPROVAL_STATE_CANCELED",
        showJson(recordIn(read).state),
        "approval.state",
      );
    }
    let last = ended;
    await context.poll(async () => {
      last = await setup.read(run);
      return textAt(recordIn(last), "state") === state ? undefined : true;
    }, target.settings.patience.quietMs);
    judge(reply, undefined, [last]).satisfies(
      textAt(recordIn(last), "state") === state,
      `a run that is still ${state}`,
      last.outcome === "served" ? showJson(recordIn(last).state) : describeReply(last),
    );
  },
});
