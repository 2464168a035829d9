import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { judgeAgreement } from "../../harness/oracles/agreement.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { follow } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { cancelJob } from "../common/cancel-job.ts";
import { lastOf } from "./run-events.ts";

/** Judges that a watch of an ended job, resumed after the version it began at, shows its end as GetJob does. */
async function judgeResumed(context: CaseContext, job: Subject): Promise<void> {
  const { judge } = context;
  const read = (await follow(context, job)).at(-1);
  const final = read === undefined ? {} : recordIn(read);
  if (read === undefined || !isOver(final)) throw new Unproven("needs a job that ends within patience.settleMs");
  const ended = numericVersion({ version: versionOf(final) });
  // To begin after version 0 is to leave it out.
  const begun = numericVersion(job) > 0n ? numericVersion(job) : 1n;
  if (begun >= ended) throw new ChosenOtherwise("a job ends at the version it begins at, or before");
  const watched = await watchJob(context, job, String(begun));
  judge(lastOf(watched), undefined, [read]).satisfies(
    watched.jobs.some(isOver),
    `after ${begun}, the end of the job, ${textAt(final, "state")} at version ${ended}`,
    describeReply(lastOf(watched)),
  );
  const shown = watched.jobs.find(isOver);
  const message = context.row.record?.field.message;
  if (shown === undefined || message === undefined) return;
  const seen = { source: "WatchJob", record: shown, settled: true };
  const other = { source: "GetJob", record: final, settled: true };
  judge(lastOf(watched), "*.records.agree", [read]).keeps(judgeAgreement(message, seen, [other], new Set(), "job"));
}

const says = (how: string) => `a watch that is resumed once its job ${how} shows that`;

export const failed = defineCase({
  id: "stream/job-watch-resumes-to-a-failure",
  says: says("has failed"),
  clauses: ["alpha.watch.no-loss", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/WatchJob",
  run: async (context) => judgeResumed(context, await startJob(context, "fail")),
});

export const canceled = defineCase({
  id: "stream/job-watch-resumes-to-a-cancellation",
  says: says("was canceled"),
  clauses: ["alpha.watch.no-loss", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    await requireJobsCanceled(context);
    const job = await startJob(context, "slow");
    await cancelJob(context, job);
    // The job may go on being canceled for a while: a watch that begins meanwhile is to show what comes of it.
    const [opened] = await Promise.all([watchJob(context, job, undefined), judgeResumed(context, job)]);
    context
      .judge(lastOf(opened))
      .satisfies(
        opened.jobs.some(isOver),
        "the end of the job, which was being canceled, or was canceled, when the watch began",
        describeReply(lastOf(opened)),
      );
  },
});

export const withResults = defineCase({
  id: "stream/job-watch-resumes-to-the-results",
  says: says("has come to its results"),
  clauses: ["alpha.watch.no-loss", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/WatchJob",
  run: async (context) => judgeResumed(context, await startJob(context, "artifacts")),
});
