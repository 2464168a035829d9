import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { jobOf, withJob } from "../../../harness/setup/beta/job.ts";
import {
  cancelRun,
  type RunScript,
  requireRunsCanceled,
  startAwaiting,
  startRun,
} from "../../../harness/setup/beta/run.ts";
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

/** Deletes the session of a run that has ended. */
async function deleteSessionOf({ setup, call }: CaseContext, run: Subject): Promise<void> {
  const named = await call(readSession, {
    ...(await setup.request(readSession, undefined)),
    customerUserId: run.record.customerUserId ?? null,
    sessionId: run.record.sessionId ?? null,
  });
  if (named.outcome !== "served") throw new ChosenOtherwise("the session of a run is not read");
  const reply = await call(deleteSession, await setup.request(deleteSession, setup.subjectIn(named)));
  if (reply.outcome !== "served") throw new ChosenOtherwise("a session in which there was a run is not deleted");
}

/** A run that has ended, whose session was deleted since; it is read no more where it goes with its session. */
export async function runWithoutSession(context: CaseContext): Promise<Subject> {
  const run = await settle(context, await startRun(context, "complete"));
  await deleteSessionOf(context, run);
  return run;
}

/** An artifact of such a run. */
export async function artifactWithoutSession(context: CaseContext): Promise<Subject> {
  const { setup, needs } = context;
  const artifact = await setup.fresh("artifact");
  const run = await setup.read({ ...artifact, kind: "run", id: artifact.record.runId ?? null });
  needs(run);
  await deleteSessionOf(context, setup.subjectIn(run));
  return artifact;
}

/** What is said of a run that has lost its session. */
export const withoutSession = "whose session was deleted";

/** Runs in stages that have tables of their own in some servers, by what is said of them and what their input makes them do. */
const stages: readonly (readonly [
  what: string,
  make: (context: CaseContext) => Promise<Subject>,
  script: RunScript,
])[] = [
  ["that failed", async (context) => settle(context, await startRun(context, "fail")), "fail"],
  ["that was canceled", canceledRun, "slow"],
  ["whose outcome is unknown", async (context) => settle(context, await startRun(context, "unknown")), "unknown"],
  ["that awaits an approval", async (context) => (await startAwaiting(context)).run, "approval"],
  [withoutSession, runWithoutSession, "complete"],
  ["that goes on", (context) => startRun(context, "slow"), "slow"],
];

/** A run in some stage, what is said of it, and what its input made it do. */
export type StagedRun = readonly [what: string, run: Subject, script: RunScript];

/**
 * Runs in other stages than that of one which succeeded, by what is said of them. Those for which the target file has no input, and
 * those that the target does not have, are left out.
 */
export async function runsInStages(context: CaseContext): Promise<readonly StagedRun[]> {
  const runs: StagedRun[] = [];
  for (const [what, make, script] of stages) {
    try {
      runs.push([what, await make(context), script]);
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  return runs;
}

/** Jobs of such runs: of those that name one, and whose job did not go with their session. */
export async function jobsInStages(context: CaseContext): Promise<readonly (readonly [what: string, job: Subject])[]> {
  const jobs: (readonly [string, Subject])[] = [];
  for (const [what, run] of await runsInStages(context)) {
    const named = await withJob(context, run);
    if (named.record.jobId === undefined) continue;
    const job = await (what === withoutSession ? orUndefined(jobOf(context, named)) : jobOf(context, named));
    if (job !== undefined) jobs.push([what, job]);
  }
  if (jobs.length === 0) throw new ChosenOtherwise("no run in another stage has a job");
  return jobs;
}
