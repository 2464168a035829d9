import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { judgeAttemptOrder, judgeNextAttempt, judgeSelfChanges } from "../../../harness/oracles/self-changes.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { isDefault, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";

/** Judges what one RPC showed of a record while it changed by itself. */
function judgeChanges({ judge }: CaseContext, replies: readonly Reply[], at: string): void {
  const last = replies.at(-1);
  if (last === undefined) return;
  judge(last, "*.records.agree", replies.slice(0, -1)).keeps(judgeSelfChanges(replies.map(recordIn), at));
}

/** Judges that a job's attempts are counted. */
function judgeAttempts({ judge }: CaseContext, replies: readonly Reply[]): void {
  const last = replies.at(-1);
  if (last === undefined) return;
  const clause = "*.jobs.attempts-counted";
  const served = replies.filter(({ outcome }) => outcome === "served");
  const shown = served.map(recordIn);
  judge(last, clause, replies.slice(0, -1)).keeps([
    ...judgeAttemptOrder(shown, clause, "job"),
    ...judgeNextAttempt(shown, clause, "job"),
  ]);
  const job = recordIn(last);
  // A job that was canceled may never have been begun.
  if (!isOver(job) || textAt(job, "state").endsWith("_CANCELED")) return;
  const { attemptCount } = job;
  const expected = `an attempt, as it is ${textAt(job, "state")}`;
  judge(last, clause).satisfies(!isDefault(attemptCount), expected, showJson(attemptCount), "job.attemptCount");
}

export const job = defineCase({
  id: "lifecycle/each-stage-of-a-job-has-its-version",
  says: "a job that goes on by itself is never shown in two states at one version, and its attempts are counted",
  clauses: ["alpha.records.agree", "alpha.jobs.attempts-counted"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const replies = await follow(context, await startJob(context, "retry"));
    judgeChanges(context, replies, "job");
    judgeAttempts(context, replies);
  },
});

export const run = defineCase({
  id: "lifecycle/each-stage-of-a-run-has-its-version",
  says: "a run that goes on by itself is never shown in two states at one version",
  clauses: ["beta.records.agree"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    judgeChanges(context, await follow(context, await startRun(context, "complete")), "run");
  },
});
