import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { jobOf, withJob } from "../../../harness/setup/beta/job.ts";
import { cancelRun, requireRunsCanceled, startAwaiting, startRun } from "../../../harness/setup/beta/run.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise, NotExercised } from "../../../harness/target/target.ts";
import { rpc } from "../../../proto/rpcs.ts";

const readSession = rpc("beta.v1.SessionService/GetSession");
const deleteSession = rpc("beta.v1.SessionService/DeleteSession");

/** A run that was canceled, once it has ended. */
async function canceledRun(context: CaseContext): Promise<Subject> {
  await requireRunsCanceled(context);
  const run = await startRun(context, "slow");
  if ((await cancelRun(context, run)) === undefined) throw new Unproven("needs a run that is canceled");
  return settle(context, run);
}

/** A run that has ended, whose session was deleted since; it is read no more where it goes with its session. */
async function runWithoutSession(context: CaseContext): Promise<Subject> {
  const { setup, call } = context;
  const run = await settle(context, await startRun(context, "complete"));
  const named = await call(readSession, {
    ...(await setup.request(readSession, undefined)),
    customerUserId: run.record.customerUserId ?? null,
    sessionId: run.record.sessionId ?? null,
  });
  if (named.outcome !== "served") throw new ChosenOtherwise("the session of a run is not read");
  const reply = await call(deleteSession, await setup.request(deleteSession, setup.subjectIn(named)));
  if (reply.outcome !== "served") throw new ChosenOtherwise("a session in which there was a run is not deleted");
  return run;
}

/** Runs in stages that have tables of their own in some servers, by what is said of them. */
const stages: readonly (readonly [what: string, make: (context: CaseContext) => Promise<Subject>])[] = [
  ["that failed", async (context) => settle(context, await startRun(context, "fail"))],
  ["that was canceled", canceledRun],
  ["whose outcome is unknown", async (context) => settle(context, await startRun(context, "unknown"))],
  ["that awaits an approval", async (context) => (await startAwaiting(context)).run],
  ["whose session was deleted", runWithoutSession],
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
