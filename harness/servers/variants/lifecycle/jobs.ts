import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { announceJob } from "../../reference/alpha/events.ts";
import { isTerminal } from "../../reference/alpha/worker.ts";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { timestamp } from "../../reference/core/times.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

function endJob(world: AlphaWorld, id: string, state: JobState): Job {
  const ended = world.tables.job.change(id, { state, completedAt: timestamp(world.clock.now()) });
  announceJob(world, ended);
  return ended;
}

/** How jobs run and end. */
export const jobVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "jobs-without-stages",
    says: "takes jobs from queued straight to their end",
    open: ["alpha.open.transitions"],
    decoration: { choices: { jobStages: "none" } },
  }),
  defineAlphaVariant({
    id: "quiet-progress",
    says: "shows progress without moving the version",
    open: ["alpha.open.version-step", "alpha.open.transitions"],
    decoration: { choices: { progressMovesVersion: false } },
  }),
  defineAlphaVariant({
    id: "slow-jobs",
    says: "takes its time for every stage of a job",
    open: ["alpha.open.mini-apps"],
    decoration: { choices: { jobStageMs: [40, 60] } },
  }),
  defineAlphaVariant({
    id: "instant-jobs",
    says: "ends most jobs before anybody can look",
    open: ["alpha.open.mini-apps", "alpha.open.transitions"],
    decoration: { choices: { jobStageMs: [0, 0], jobStages: "none", jobRetryPauseMs: 1 } },
  }),
  defineAlphaVariant({
    id: "unfinished-jobs-deleted",
    says: "deletes unfinished jobs",
    open: ["alpha.open.transitions"],
    decoration: { choices: { deleteUnfinishedJob: "cancel and delete" } },
  }),
  defineAlphaVariant({
    id: "canceled-at-once",
    says: "cancels a job within the call",
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around<typeof JobService.method.cancelJob, AlphaWorld>(
        JobService.method.cancelJob,
        (next) => async (context, request) => {
          const reply = await next(context, request);
          reply.job = endJob(context.world, idText(reply.job?.id), JobState.CANCELED);
          return reply;
        },
      ),
    },
  }),
  defineAlphaVariant({
    id: "canceled-too-late",
    says: "lets a job that is being canceled succeed all the same",
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around<typeof JobService.method.cancelJob, AlphaWorld>(
        JobService.method.cancelJob,
        (next) => async (context, request) => {
          const reply = await next(context, request);
          const id = idText(reply.job?.id);
          context.world.clock.after(2, () => {
            if (context.world.tables.job.find(id)?.record.state === JobState.CANCELING) {
              endJob(context.world, id, JobState.SUCCEEDED);
            }
          });
          return reply;
        },
      ),
    },
  }),
  defineAlphaVariant({
    id: "cancel-of-ended-served",
    says: "serves the cancellation of a job that has ended, changing nothing",
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around<typeof JobService.method.cancelJob, AlphaWorld>(
        JobService.method.cancelJob,
        (next) => async (context, request) => {
          const job = context.world.tables.job.find(idText(request.jobId))?.record;
          if (job === undefined || !isTerminal(job)) return await next(context, request);
          return { $typeName: "alpha.v1.CancelJobResponse", job };
        },
      ),
    },
  }),
];
