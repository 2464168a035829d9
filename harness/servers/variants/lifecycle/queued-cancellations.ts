import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type AlphaVariant, type BetaVariant, defineAlphaVariant, defineBetaVariant } from "../variant.ts";

const queuedJobsOnly = around(JobService.method.cancelJob, (next) => (context, request) => {
  const job = context.world.tables.job.find(idText(request.jobId))?.record;
  if (job?.state === JobState.RUNNING) refuse("FAILED_PRECONDITION", "the job has begun");
  return next(context, request);
});

const queuedRunsOnly = aroundBeta(RunService.method.cancelRun, (next) => (context, request) => {
  const run = context.world.tables.run.find(idText(request.runId))?.record;
  if (run !== undefined && run.state !== RunState.QUEUED) refuse("FAILED_PRECONDITION", "the run has begun");
  return next(context, request);
});

/** Jobs that are canceled only while they wait for their turn. */
export const queuedCancellations: readonly (AlphaVariant | BetaVariant)[] = [
  defineAlphaVariant({
    id: "queued-jobs-canceled-only",
    says: "cancels queued jobs, and refuses to cancel a job that has begun, which each does soon",
    open: ["alpha.open.transitions"],
    decoration: { handlers: queuedJobsOnly, choices: { jobStageMs: [60, 80], slowJobMs: 4000 } },
    permits: ["not-exercised"],
    holds: ["job"],
  }),
  defineAlphaVariant({
    id: "long-queue-of-cancelable-jobs",
    says: "cancels queued jobs, and refuses to cancel a job that has begun; those that take time queue for long",
    open: ["alpha.open.transitions"],
    decoration: { handlers: queuedJobsOnly, choices: { jobStages: "none", slowJobMs: 20_000 } },
    permits: ["not-exercised"],
  }),
  defineBetaVariant({
    id: "queued-runs-canceled-only",
    says: "cancels queued runs, and refuses to cancel a run that has begun, which each does soon",
    open: ["beta.open.transitions"],
    decoration: { handlers: queuedRunsOnly, choices: { runStageMs: [60, 80], slowRunMs: 4000 } },
    permits: ["not-exercised"],
    holds: ["run"],
  }),
];
