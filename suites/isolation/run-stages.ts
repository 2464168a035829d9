import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { jobOf, withJob } from "../../harness/setup/beta/job.ts";
import { cancelRun, requireRunsCanceled, startAwaiting, startRun } from "../../harness/setup/beta/run.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";

/** A run that was canceled, once it has ended. */
async function canceledRun(context: CaseContext): Promise<Subject> {
  await requireRunsCanceled(context);
  const run = await startRun(context, "slow");
  if ((await cancelRun(context, run)) === undefined) throw new Unproven("needs a run that is canceled");
  return settle(context, run);
}

/** Runs in stages that have tables of their own in some servers, by what is said of them. */
const stages: readonly (readonly [what: string, make: (context: CaseContext) => Promise<Subject>])[] = [
  ["that failed", async (context) => settle(context, await startRun(context, "fail"))],
  ["that was canceled", canceledRun],
  ["whose outcome is unknown", async (context) => settle(context, await startRun(context, "unknown"))],
  ["that awaits an approval", async (context) => (await startAwaiting(context)).run],
  ["that goes on", (context) => startRun(context, "slow")],
];

/**
 * Runs in other stages than that of one which succeeded, by what is said of them. Those for which the target file has no input, and
 * those that the target does not have, are left out.
 */
export async function runsInStages(context: CaseContext): Promise<readonly (readonly [what: string, run: Subject])[]> {
  const runs: (readonly [string, Subject])[] = [];
  for (const [what, make] of stages) {
    try {
      runs.push([what, await make(context)]);
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  return runs;
}

/** Jobs of such runs: of those that name one. */
export async function jobsInStages(context: CaseContext): Promise<readonly (readonly [what: string, job: Subject])[]> {
  const jobs: (readonly [string, Subject])[] = [];
  for (const [what, run] of await runsInStages(context)) {
    const named = await withJob(context, run);
    if (named.record.jobId !== undefined) jobs.push([what, await jobOf(context, named)]);
  }
  if (jobs.length === 0) throw new ChosenOtherwise("no run in another stage has a job");
  return jobs;
}
