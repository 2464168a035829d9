import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { judgeAttemptOrder } from "../../../harness/oracles/self-changes.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { callCurrent } from "../../common/current-call.ts";
import { judgeWrongCancellation } from "../../common/late-cancellation.ts";
import { judgeStaysEnded } from "../../common/stays-ended.ts";

/** Judges that the reply to a cancellation shows the job that was there, with what never changes of a job as it was. */
function judgeSame({ judge, row }: CaseContext, { record }: Subject, canceled: Reply): void {
  const message = row.record?.field.message;
  if (message === undefined) return;
  const before = { source: "what was read before", record, settled: false };
  const now = { source: row.method, record: recordIn(canceled), settled: false };
  judge(canceled, "*.records.agree").keeps(judgeAgreement(message, now, [before], new Set(), "job"));
}

/** Judges that what a cancellation changed is not shown at the version before: the one that it expected of the job. */
function judgeMoved({ judge }: CaseContext, canceled: Reply): void {
  const { state, resourceVersion } = recordIn(canceled);
  if (!/_CANCELL?(ING|ED)$/.test(String(state))) return;
  judge(canceled, "*.records.agree").satisfies(
    resourceVersion !== canceled.request.expectedResourceVersion,
    "another version than the one at which the job was not canceled yet",
    `${showJson(state)} at version ${showJson(resourceVersion)}, which the call expected`,
    "job.resourceVersion",
  );
}

/**
 * Judges that a job which was seen to run counts no fewer attempts for its cancellation. One that waits may have counted the attempt
 * to come.
 */
function judgeAttempts({ judge }: CaseContext, { record }: Subject, replies: readonly Reply[]): void {
  const [canceled] = replies;
  if (canceled === undefined || !textAt(record, "state").endsWith("_RUNNING")) return;
  const clause = "*.jobs.attempts-counted";
  const shown = replies.filter(({ outcome }) => outcome === "served").map(recordIn);
  judge(canceled, clause, replies.slice(1)).keeps(judgeAttemptOrder([record, ...shown], clause, "job"));
}

/** Follows a job whose cancellation was accepted: once an answer has shown it ended, it stays so. */
async function judgeCanceled(context: CaseContext, job: Subject, canceled: Reply): Promise<void> {
  const { judge, observe } = context;
  const replies = await follow(context, job);
  const states = [canceled, ...replies].map((reply) => textAt(recordIn(reply), "state"));
  const path = states.filter((state, index) => state !== "" && state !== states[index - 1]);
  observe("*.open.cancel", `a job whose cancellation was accepted goes ${path.join(", ")}`);
  const last = replies.at(-1) ?? canceled;
  judgeSame(context, job, canceled);
  judgeMoved(context, canceled);
  judgeAttempts(context, job, [canceled, ...replies]);
  const { state } = recordIn(canceled);
  if (isOver(recordIn(canceled)) && last !== canceled) {
    judge(canceled, "*.jobs.settle", [last]).satisfies(
      sameJson(recordIn(last).state, state),
      `a state that stays: ${showJson(state)} is the end of a job`,
      `it goes ${path.join(", ")}`,
      "job.state",
    );
  }
  if (!isOver(recordIn(last))) return;
  const ended = recordIn(await judgeStaysEnded(context, job, last, "*.jobs.settle"));
  if (!isOver(ended)) return;
  await judgeWrongCancellation(context, { ...job, record: ended, version: versionOf(ended) }, "canceled job");
}

export const cancellation = defineCase({
  id: "lifecycle/canceled-job-stays-ended",
  says: "CancelJob is served for a job that goes on; what becomes of the job, and when, is the target's to say, and once it has ended it stays so",
  waits: true,
  clauses: [
    "alpha.endpoints.served",
    "alpha.jobs.settle",
    "alpha.records.agree",
    "alpha.versioning.expected",
    "alpha.jobs.attempts-counted",
    "alpha.open.cancel",
  ],
  rpc: "alpha.v1.JobService/CancelJob",
  async run(context) {
    const { setup, row, judge } = context;
    const job = await setup.subjectOf(row);
    if (job === undefined) return;
    const canceled = await callCurrent(context, job);
    if (judge(canceled).isServed()) await judgeCanceled(context, job, canceled);
  },
});

/** How many jobs are caught between two attempts, until one is canceled there: its next attempt may come first. */
const maxJobs = 6;

export const betweenAttempts = defineCase({
  id: "lifecycle/job-canceled-between-attempts-stays-ended",
  says: "a job that is canceled while it waits for its next attempt stays ended once it has ended",
  waits: true,
  clauses: [
    "alpha.jobs.settle",
    "alpha.records.agree",
    "alpha.versioning.expected",
    "alpha.jobs.attempts-counted",
    "alpha.open.cancel",
  ],
  rpc: "alpha.v1.JobService/CancelJob",
  async run(context) {
    const { setup, row, call, judge } = context;
    for (let caught = 0; caught < maxJobs; caught += 1) {
      const job = await setup.fresh("job:between-attempts");
      const canceled = await call(row, await setup.request(row, job), { baseUrl: job.baseUrl });
      if (canceled.outcome !== "served") continue;
      judge(canceled, "*.endpoints.served").isServed();
      return judgeCanceled(context, job, canceled);
    }
    throw new ChosenOtherwise("no job is canceled while it waits for its next attempt");
  },
});
