import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { awaitsApproval, cancelRun, startAwaiting } from "../../harness/setup/beta/run.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { judgeInsufficientCallers } from "../common/callers-without.ts";
import { judgeWrongVersions } from "./wrong-versions.ts";

/** Whether a run that nobody touches awaits approval no more after some time: how long an approval can be given is not shown. */
async function lapses(context: CaseContext, withinMs: number): Promise<boolean> {
  const { run } = await startAwaiting(context);
  const moved = await context.poll(async () => {
    const now = await context.setup.current(run);
    return now !== undefined && awaitsApproval(now.record) ? undefined : true;
  }, withinMs);
  return moved === true;
}

/** How much longer another run is watched than the first was seen to await approval, and how long at least, in milliseconds. */
const [longer, leastMs] = [2, 1000];

/** Judges that a run still awaits approval after calls that were refused. */
export async function judgeStillAwaits(
  context: CaseContext,
  run: Subject,
  refused: readonly Reply[],
  since: number,
  clause?: string,
): Promise<boolean> {
  const { setup, judge } = context;
  const read = await setup.read(run);
  context.needs(read);
  const held = awaitsApproval(recordIn(read));
  const [last, ...others] = refused.toReversed();
  if (last === undefined) return false;
  const tookMs = performance.now() - since;
  if (!held && (await lapses(context, Math.max(leastMs, longer * tookMs))))
    throw new ChosenOtherwise("a run awaits approval too shortly for calls to be made meanwhile");
  const seen = read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read);
  return judge(last, clause, [read, ...others]).satisfies(held, "a run that still awaits approval", seen);
}

/** Judges that the approval of a run which still awaits it was not canceled by calls that were refused. */
async function judgeStillAsked(
  context: CaseContext,
  approval: Subject,
  refused: readonly Reply[],
  clause?: string,
): Promise<boolean> {
  const { setup, judge } = context;
  const read = await setup.read(approval);
  const [last, ...others] = refused.toReversed();
  if (last === undefined || read.outcome !== "served") return true;
  const { state } = recordIn(read);
  const isCanceled = state === "APPROVAL_STATE_CANCELED";
  return judge(last, clause, [read, ...others]).satisfies(
    !isCanceled,
    "an approval that is not canceled",
    showJson(state),
  );
}

export const awaitingRun = defineCase({
  id: "version/run-awaiting-approval-is-canceled-at-its-version-only",
  says: "the cancellation of a run that awaits approval with another version than its current one, without a credential or without the scope is refused, and the run still awaits its approval, which is not canceled",
  clauses: ["beta.versioning.expected", "beta.auth.required", "beta.auth.scope"],
  rpc: "beta.v1.RunService/CancelRun",
  async run(context) {
    const { judge } = context;
    const { run, created } = await startAwaiting(context);
    const approval = await orUndefined(awaitApproval(context, run));
    const since = performance.now();
    const earlier = { version: created, what: "the one it was created with" };
    const replies = await judgeWrongVersions(context, run, earlier);
    // A call that was wrongly served has its finding already: its side effect is the same breach.
    if (replies.some(({ outcome }) => outcome === "served")) return;
    if (!(await judgeStillAwaits(context, run, replies, since))) return;
    if (approval !== undefined && !(await judgeStillAsked(context, approval, replies))) return;
    const isLeftAlone = async (refused: Reply, clause: string) =>
      (await judgeStillAwaits(context, run, [refused], since, clause)) &&
      (approval === undefined || (await judgeStillAsked(context, approval, [refused], clause)));
    if (!(await judgeInsufficientCallers(context, run, isLeftAlone))) return;
    const canceled = await cancelRun(context, run);
    // Which states a run can be canceled in is not shown.
    if (canceled === undefined) throw new ChosenOtherwise("a run that awaits approval is not canceled");
    judge(canceled, "*.endpoints.served").isServed();
  },
});
