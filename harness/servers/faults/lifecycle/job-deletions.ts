import { create, type Message } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import {
  DeleteJobResponseSchema,
  JobService,
  type ListJobsRequest,
  type ListJobsResponse,
} from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { type Artifact, type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import type { Context } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { unknownId } from "../values.ts";

/** A job of some kind takes its inputs with it. */
const withInputs = (takes: (job: Job) => boolean) =>
  around(JobService.method.deleteJob, (next) => async (context, request) => {
    const job = context.subject as Job;
    const ids = takes(job) ? job.inputArtifactIds.map(idText) : [];
    const reply = await next(context, request);
    const { artifact } = context.world.tables;
    for (const id of ids) if (artifact.find(id)?.deleted === false) artifact.remove(id);
    return reply;
  });

/** A job takes the content of its inputs with it, where other jobs use them or where none does. */
const withContents = (isShared: boolean) =>
  around(JobService.method.deleteJob, (next) => async (context, request) => {
    const { inputArtifactIds } = context.subject as Job;
    const reply = await next(context, request);
    const { contents, tables } = context.world as AlphaWorld;
    const used = new Set(
      tables.job.entries(context.workspaceId).flatMap(({ record }) => record.inputArtifactIds.map(idText)),
    );
    for (const id of inputArtifactIds.map(idText)) if (used.has(id) === isShared) contents.delete(id);
    return reply;
  });

/** One result of a job takes the others with it. */
const withResults = around(ArtifactService.method.deleteArtifact, (next) => async (context, request) => {
  const { id, owningJobId } = context.subject as Artifact;
  const reply = await next(context, request);
  const { artifact, job } = context.world.tables;
  const results = job.find(idText(owningJobId))?.record.resultArtifactIds ?? [];
  for (const other of results.map(idText))
    if (other !== idText(id) && artifact.find(other)?.deleted === false) artifact.remove(other);
  return reply;
});

/** A job of some kind is said to be deleted, and stays. */
const kept = (isKept: (job: Job) => boolean) =>
  around(JobService.method.deleteJob, (next) => (context, request) => {
    const job = context.subject as Job;
    return isKept(job) ? create(DeleteJobResponseSchema, { jobId: job.id }) : next(context, request);
  });

/** Lists what was deleted where it is asked for by both filters, of which one forgets deletions. */
function listedByBoth(): ReturnType<typeof kept> {
  const gone: Job[] = [];
  return {
    ...around(JobService.method.deleteJob, (next) => async (context, request) => {
      const job = context.subject as Job;
      const reply = await next(context, request);
      gone.push(job);
      return reply;
    }),
    ...around(JobService.method.listJobs, (next) => async (context, request) => {
      const reply = (await next(context, request)) as ListJobsResponse;
      const { miniAppId, state, page } = request as ListJobsRequest;
      if (miniAppId === "" || state === JobState.UNSPECIFIED || (page?.cursor ?? "") !== "") return reply;
      const again = gone.filter(
        (job) => job.miniAppId === miniAppId && job.state === state && idText(job.workspaceId) === context.workspaceId,
      );
      return { ...reply, jobs: [...reply.jobs, ...again] };
    }),
  };
}

/** Keeps what it found, and goes on telling who watches a job of what it was once it is deleted. */
const watchedAfterwards: AlphaDecoration = {
  parts: ({ findSubject, watch }) => {
    const found = new Map<string, Message>();
    const keyOf = (context: Context<AlphaWorld>) => `${context.workspaceId} ${namedId(context)}`;
    return {
      findSubject(context) {
        try {
          const record = findSubject(context);
          if (record !== undefined && context.row.subject === "job") found.set(keyOf(context), record);
          return record;
        } catch (error) {
          const before = context.row.name === "alpha.v1.JobService/WatchJob" ? found.get(keyOf(context)) : undefined;
          if (before === undefined) throw error;
          return before;
        }
      },
      watch(context, source) {
        const before = source.table.find(source.id) === undefined ? found.get(keyOf(context)) : undefined;
        if (before === undefined) return watch(context, source);
        return (async function* () {
          yield before as never;
        })();
      },
    };
  },
};

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
    "DeleteJob-deletes-its-inputs": [
      "deletes the artifacts that the job was started with",
      { handlers: withInputs(() => true) },
    ],
    "DeleteJob-failed-deletes-its-inputs": [
      "deletes the artifacts that a job was started with which failed",
      { handlers: withInputs(({ state }) => state === JobState.FAILED) },
    ],
  },
  "*.artifacts.bytes": {
    "DeleteJob-deletes-the-content-of-its-inputs": [
      "deletes the content of the artifacts that the job was started with, and leaves their records",
      { handlers: withContents(false) },
    ],
    "DeleteJob-deletes-the-content-of-shared-inputs": [
      "deletes the content of the artifacts that the job was started with where another job was started with them, too",
      { handlers: withContents(true) },
    ],
  },
  "*.records.untouched": {
    "DeleteArtifact-takes-other-results": [
      "deletes all that a job resulted in with the first of it",
      { handlers: withResults },
    ],
  },
  "*.deletion.effective": {
    "DeleteJob-canceled-stay": [
      "says that a canceled job is deleted, which stays",
      { handlers: kept(({ state }) => state === JobState.CANCELED) },
    ],
    "ListJobs-by-both-filters-shows-the-deleted": [
      "lists deleted jobs where it is asked for a state and a mini app",
      { handlers: listedByBoth() },
      { entails: ["*.paging.size", "*.paging.traversal", "*.filters.complete"] },
    ],
    "WatchJob-shows-the-deleted": ["shows a deleted job to who watches it", watchedAfterwards],
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
