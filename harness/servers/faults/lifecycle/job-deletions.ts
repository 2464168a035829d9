import { create } from "@bufbuild/protobuf";
import { DeleteJobResponseSchema, JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { unknownId } from "../values.ts";

/** A job takes its inputs with it. */
const withInputs = around(JobService.method.deleteJob, (next) => async (context, request) => {
  const { inputArtifactIds = [] } = (context.subject ?? {}) as Partial<Job>;
  const reply = await next(context, request);
  const { artifact } = context.world.tables;
  for (const id of inputArtifactIds.map(idText)) if (artifact.find(id)?.deleted === false) artifact.remove(id);
  return reply;
});

/** A job of some kind is said to be deleted, and stays. */
const kept = (isKept: (job: Job) => boolean) =>
  around(JobService.method.deleteJob, (next) => (context, request) => {
    const job = context.subject as Job;
    return isKept(job) ? create(DeleteJobResponseSchema, { jobId: job.id }) : next(context, request);
  });

const isRetried = ({ attemptCount }: Job) => attemptCount > 1;

/** The reply to the deletion of a job that was tried again names another job. */
const retriedNamesAnother = around(JobService.method.deleteJob, (next) => async (context, request) => {
  const other = isRetried(context.subject as Job);
  const reply = await next(context, request);
  return other ? create(DeleteJobResponseSchema, { jobId: unknownId }) : reply;
});

/** Deletions of jobs that delete something else, or, of jobs in one state alone, nothing. */
export const jobDeletionFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.deletion.leaves-inputs": {
    "DeleteJob-deletes-its-inputs": ["deletes the artifacts that the job was started with", { handlers: withInputs }],
  },
  "*.deletion.effective": {
    "DeleteJob-canceled-stay": [
      "says that a canceled job is deleted, which stays",
      { handlers: kept(({ state }) => state === JobState.CANCELED) },
    ],
    "DeleteJob-retried-stay": [
      "says that a job which took two attempts is deleted, which stays",
      { handlers: kept(isRetried) },
    ],
  },
  "*.deletion.names": {
    "DeleteJob-retried-named-otherwise": [
      "names another job than the deleted one, where that took two attempts",
      { handlers: retriedNamesAnother },
    ],
  },
});
