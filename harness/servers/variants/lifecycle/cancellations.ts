import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { isTerminal } from "../../reference/alpha/worker.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** The job of a canceled one with an error that says so. */
function explained(job: JsonObject): JsonObject {
  const isCanceled = /_CANCEL(ED|ING)$/.test(String(job.state));
  return isCanceled ? { ...job, terminalError: { reason: "ERROR_REASON_FAILED_PRECONDITION" } } : job;
}

const noted = new WeakMap<object, Set<string>>();

/** The jobs of a world whose cancellation was noted. */
function notedIn(world: object): Set<string> {
  const known = noted.get(world) ?? new Set();
  noted.set(world, known);
  return known;
}

/** What becomes of jobs whose cancellation was accepted. */
export const cancellationVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "canceled-jobs-say-why",
    says: "gives jobs that are canceled, or being canceled, a terminalError",
    open: ["alpha.open.transitions", "alpha.open.cancel"],
    decoration: {
      reply(json) {
        const { job, jobs } = json;
        if (isObject(job)) return { ...json, job: explained(job) };
        return Array.isArray(jobs) ? { ...json, jobs: jobs.filter(isObject).map(explained) } : json;
      },
    },
  }),
  defineAlphaVariant({
    id: "cancellation-is-noted",
    says: "takes note of a cancellation, shows the job as it is, and cancels it a moment later",
    open: ["alpha.open.transitions", "alpha.open.cancel"],
    decoration: {
      handlers: around(JobService.method.cancelJob, (next) => async (context, request) => {
        const { tables, clock } = context.world;
        const id = idText(request.jobId);
        const job = tables.job.find(id)?.record;
        const canceling = notedIn(context.world);
        if (job === undefined) return await next(context, request);
        // One at a version at most succeeds.
        if (canceling.has(id)) refuse("FAILED_PRECONDITION", "the job is being canceled");
        canceling.add(id);
        const shown = { ...job };
        clock.after(120, () => {
          const now = tables.job.find(id)?.record;
          if (now === undefined || isTerminal(now)) return;
          tables.job.change(id, { state: JobState.CANCELED, completedAt: timestampFromMs(clock.now()) });
        });
        return { $typeName: "alpha.v1.CancelJobResponse", job: shown };
      }),
    },
  }),
  defineAlphaVariant({
    id: "cancellation-waits-for-a-step",
    says: "lets a job that is being canceled run on to the end of its step before it ends",
    open: ["alpha.open.transitions", "alpha.open.cancel"],
    decoration: {
      handlers: around(JobService.method.cancelJob, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { tables, clock } = context.world;
        const id = idText(request.jobId);
        tables.job.change(id, { state: JobState.RUNNING });
        clock.after(150, () => {
          const fields = { state: JobState.CANCELED, completedAt: timestampFromMs(clock.now()) };
          const now = tables.job.find(id)?.record;
          if (now !== undefined && !isTerminal(now)) tables.job.change(id, fields);
        });
        return reply;
      }),
    },
  }),
];
