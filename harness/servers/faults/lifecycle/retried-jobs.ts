import { create } from "@bufbuild/protobuf";
import { JobService, ListJobsResponseSchema } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { timestamp } from "../../reference/core/times.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop } from "../values.ts";

/** The first page of the failed jobs begins with one whose first attempt failed, and whose second did not. */
const onceFailed: AlphaDecoration = {
  handlers: around(JobService.method.listJobs, (next) => async (context, request) => {
    const reply = await next(context, request);
    const isFirst = request.state === JobState.FAILED && (request.page?.cursor ?? "") === "";
    const all = isFirst ? context.world.tables.job.entries(context.workspaceId) : [];
    const other = all.map(({ record }) => record as Job).find(isRetried);
    return other === undefined
      ? reply
      : create(ListJobsResponseSchema, { ...reply, jobs: [other, ...reply.jobs.slice(1)] });
  }),
};

const isRetried = ({ state, attemptCount }: Job) => state === JobState.SUCCEEDED && attemptCount > 1;

/** The jobs of a page as `change` leaves them, where the request asks for a state or, with `always`, for none, too. */
const jobsShown = (change: (jobs: Job[]) => Job[], always = false): AlphaDecoration => ({
  handlers: around(JobService.method.listJobs, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (!always && request.state === JobState.UNSPECIFIED) return reply;
    return create(ListJobsResponseSchema, { ...reply, jobs: change(reply.jobs as Job[]) });
  }),
});

/** A job that is tried again is stored as if it had been made then. */
const madeAnew: AlphaDecoration = {
  handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { clock, tables } = context.world;
    const id = idText(reply.job?.id);
    const unwatch = tables.job.watch(id, (job) => {
      if (job === undefined || job.attemptCount < 2) return;
      unwatch();
      tables.job.change(id, { createdAt: timestamp(clock.now()) }, { sameVersion: true });
    });
    return reply;
  }),
};

/** Jobs that are tried more than once. */
export const retriedJobs: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.filters.hold": {
    "ListJobs-once-failed-as-failed": [
      "shows a job that succeeded at its second attempt where failed ones are asked for",
      onceFailed,
    ],
  },
  "*.filters.complete": {
    "ListJobs-retried-not-by-state": [
      "leaves out a job that succeeded at its second attempt where a state is asked for",
      jobsShown((jobs) => jobs.filter((job) => !isRetried(job))),
    ],
  },
  "*.records.agree": {
    "GetJob-made-when-it-is-tried-again": ["shows a job that is tried again as made then", madeAnew],
    "ListJobs-retried-as-at-first": [
      "shows a job that succeeded at its second attempt with one attempt",
      jobsShown((jobs) => jobs.map((job) => (isRetried(job) ? { ...job, attemptCount: 1 } : job)), true),
    ],
    "ListJobs-results-left-out-by-state": [
      "leaves out the results of a job where a state is asked for",
      jobsShown((jobs) => jobs.map((job) => ({ ...job, resultArtifactIds: [] }))),
    ],
    "ListJobs-next-attempt-left-out": ["leaves out when a job is tried again", inReply("jobs[].nextAttemptAt", drop)],
    "ListJobs-terminal-error-cut": [
      "leaves out what to do about an error",
      inReply("jobs[].terminalError.retryGuidance", drop),
    ],
  },
});
