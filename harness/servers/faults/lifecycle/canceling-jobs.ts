import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobSchema, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { finish, isTerminal } from "../../reference/alpha/worker.ts";
import { idText } from "../../reference/core/fields.ts";
import { subjectOf } from "../../reference/core/implement.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** How long jobs are being canceled, in milliseconds: long enough to be listed so. */
const cancelingMs = 3000;

/** Jobs take their time to be canceled, and are listed among the running ones meanwhile. */
const listedAsRunning: AlphaDecoration = {
  handlers: {
    ...around(JobService.method.cancelJob, (next) => (context, request) => {
      const { tables, clock, closing } = context.world;
      const job = subjectOf(context, JobSchema);
      if (isTerminal(job) || job.state === JobState.CANCELING) return next(context, request);
      const id = idText(request.jobId);
      const canceling = tables.job.change(id, { state: JobState.CANCELING, nextAttemptAt: undefined });
      clock.after(cancelingMs, () => {
        const isCanceling = tables.job.find(id)?.record.state === JobState.CANCELING;
        if (isCanceling && !closing.aborted) finish(context.world, id, { state: JobState.CANCELED });
      });
      return { $typeName: "alpha.v1.CancelJobResponse", job: canceling };
    }),
    ...around(JobService.method.listJobs, (next) => async (context, request) => {
      const reply = await next(context, request);
      const { state, page } = request;
      const most = page?.pageSize ? page.pageSize : undefined;
      if (state !== JobState.RUNNING || (page?.cursor ?? "") !== "") return reply;
      const all = context.world.tables.job.entries(context.workspaceId).filter(({ deleted }) => !deleted);
      const canceling = all.map(({ record }) => record).filter((job) => job.state === JobState.CANCELING);
      return { ...reply, jobs: [...canceling, ...reply.jobs].slice(0, most) };
    }),
  },
};

/** A cancellation begins to count the attempts anew. */
const countedAnew: AlphaDecoration = {
  handlers: around(JobService.method.cancelJob, (next) => async (context, request) => {
    const reply = await next(context, request);
    const job = context.world.tables.job.change(idText(request.jobId), { attemptCount: 0 }, { sameVersion: true });
    return { ...reply, job };
  }),
};

/** Jobs that are being canceled, taken for running ones, or that lose something by it. */
export const cancelingFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.filters.hold": {
    "ListJobs-canceling-among-running": ["lists jobs that are being canceled among the running ones", listedAsRunning],
  },
  "*.jobs.attempts-counted": {
    "CancelJob-attempts-counted-anew": ["sets the attempts of a job back to none", countedAnew],
  },
});
