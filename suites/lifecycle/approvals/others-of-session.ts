import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { startTogether } from "../../../harness/setup/beta/session-runs.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import { judgeHeard } from "./decided-runs.ts";
import { decide } from "./decisions.ts";
import { readServed } from "./others-of-users.ts";

/** The pending approvals of two runs. Throws ChosenOtherwise where one of the runs asks for none while the other waits. */
async function bothPending(
  context: CaseContext,
  runs: readonly [Subject, Subject],
): Promise<readonly [Subject, Subject]> {
  const found = await Promise.allSettled(runs.map((run) => awaitApproval(context, run)));
  const [first, second] = found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failures = found.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (first === undefined || failures.some((error) => !(error instanceof Unproven))) throw failures[0];
  if (second === undefined) throw new ChosenOtherwise("one run of a session at a time awaits approval");
  const now = await Promise.all([first, second].map((approval) => context.setup.current(approval)));
  if (now.some((one) => textAt(one?.record ?? {}, "state") !== "APPROVAL_STATE_PENDING"))
    throw new ChosenOtherwise("one approval of a session at a time is pending");
  return [first, second];
}

const decisions = [
  ["approved", "APPROVAL_DECISION_APPROVE"],
  ["rejected", "APPROVAL_DECISION_REJECT"],
] as const;

export const decidedAlone = decisions.map(([what, decision]) =>
  defineCase({
    id: `lifecycle/approval-is-${what}-alone`,
    says: `of two runs of one session that await approval, one whose approval is ${what} is told so, and the approval of the other is not ${what} with it`,
    clauses: ["beta.approvals.decision", "beta.approvals.awaited"],
    rpc: "beta.v1.ApprovalService/DecideApproval",
    async run(context) {
      const { judge, needs } = context;
      const runs = await startTogether(context, [{ script: "approval" }, { script: "approval" }]);
      const [own, other] = await bothPending(context, runs);
      const reply = await decide(context, own, decision);
      needs(reply);
      const [run] = runs;
      await judgeHeard(context, run, reply);
      const read = await readServed(context, other);
      const state = textAt(recordIn(read), "state");
      judge(reply, "*.approvals.decision", [read]).satisfies(
        state !== textAt(recordIn(reply), "state"),
        "another approval of the session that nobody has decided",
        showJson(state),
      );
    },
  }),
);
