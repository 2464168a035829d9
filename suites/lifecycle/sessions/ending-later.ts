import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { describeReply, mayBeRefusedForState, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

/** Reads the session until it is gone: readings may lag. */
function readUntilGone(context: CaseContext, session: Subject): Promise<Reply> {
  return lookUntil(
    context,
    () => context.setup.read(session),
    (reply) => isGone(context, reply),
  );
}

const isGone = ({ setup }: CaseContext, reply: Reply) =>
  reply.outcome === "refused" || setup.isTombstone(recordIn(reply));

export const endingLater = defineCase({
  id: "lifecycle/session-stays-deleted-when-its-run-ends",
  says: "a session that is deleted while a run of it goes on is not brought back by the end of that run",
  clauses: ["beta.deletion.effective"],
  rpc: "beta.v1.SessionService/DeleteSession",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    // It is under way as long as it awaits a decision.
    const run = await startRun(context, "approval");
    const approval = await awaitApproval(context, run);
    const session = await setup.current({ ...run, kind: "session", id: run.record.sessionId ?? null });
    if (session === undefined) throw new Unproven("needs the session of a run that is under way");
    const deletes = async (now: Subject) => call(row, await setup.request(row, now));
    const deleted = await callAsItIsNow(context, session, deletes);
    if (mayBeRefusedForState(deleted)) throw new ChosenOtherwise("a session is not deleted while a run of it goes on");
    needs(deleted);
    // What is not gone at once is judged by another case.
    if (!isGone(context, await readUntilGone(context, session)))
      throw new Unproven("needs a session that is gone once it was deleted");
    // What the deletion does to the run, and whether that can be read, is not shown.
    const decided = await call(decideApproval, await setup.request(decideApproval, approval));
    const ended = decided.outcome === "served" ? await orUndefined(settle(context, run)) : undefined;
    if (ended === undefined) throw new ChosenOtherwise("the run of a deleted session does not go on, or is not read");
    const later = await readUntilGone(context, session);
    judge(deleted, undefined, [later]).satisfies(
      isGone(context, later),
      "the session gone, or shown as deleted, as it was before its run ended",
      describeReply(later),
    );
  },
});
