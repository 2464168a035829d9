import { create } from "@bufbuild/protobuf";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobHeartbeatSchema, JobSchema, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOf } from "../core/paging.ts";
import { refuse } from "../core/refusal.ts";
import { timestamp } from "../core/times.ts";
import { implement } from "./messages.ts";
import { cancelJob, isTerminal } from "./worker.ts";

export const jobHandlers = implement(JobService, {
  cancelJob(context) {
    const job = subjectOf(context, JobSchema);
    if (isTerminal(job)) refuse("FAILED_PRECONDITION", "the job has already ended");
    if (job.state === JobState.CANCELING) refuse("FAILED_PRECONDITION", "the job is already being canceled");
    return { job: cancelJob(context.world, job) };
  },

  deleteJob(context) {
    const { world } = context;
    const job = subjectOf(context, JobSchema);
    if (!isTerminal(job) && world.choices.deleteUnfinishedJob === "refuse") {
      refuse("FAILED_PRECONDITION", "the job has not ended yet");
    }
    world.tables.job.remove(idText(job.id));
    return { jobId: job.id };
  },

  getJob: (context) => ({ job: subjectOf(context, JobSchema) }),

  listJobs(context, { miniAppId, state, page: requested }) {
    const { records, page } = pageOf(
      context,
      requested,
      (workspaceId) =>
        context.world.tables.job
          .entries(workspaceId)
          .filter(({ record }) => miniAppId === "" || record.miniAppId === miniAppId)
          .filter(({ record }) => state === JobState.UNSPECIFIED || record.state === state),
      `${miniAppId} ${state}`,
    );
    return { jobs: records, page };
  },

  async *watchJob(context, { afterResourceVersion }) {
    const { world } = context;
    const table = world.tables.job;
    const id = idText(subjectOf(context, JobSchema).id);
    const source = { table, id, afterVersion: afterResourceVersion, isTerminal };
    for await (const news of world.parts.watch(context, source)) {
      if (news !== "heartbeat") yield { event: { case: "job", value: news } };
      else {
        const resourceVersion = table.find(id)?.record.resourceVersion ?? afterResourceVersion;
        const value = create(JobHeartbeatSchema, { resourceVersion, emittedAt: timestamp(world.clock.now()) });
        yield { event: { case: "heartbeat", value } };
      }
    }
  },
});
