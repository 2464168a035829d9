import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import type { Job } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A job takes its inputs with it. */
const withInputs = around(JobService.method.deleteJob, (next) => async (context, request) => {
  const { inputArtifactIds = [] } = (context.subject ?? {}) as Partial<Job>;
  const reply = await next(context, request);
  const { artifact } = context.world.tables;
  for (const id of inputArtifactIds.map(idText)) if (artifact.find(id)?.deleted === false) artifact.remove(id);
  return reply;
});

/** Deletions of jobs that delete something else. */
export const jobDeletionFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.deletion.leaves-inputs": {
    "DeleteJob-deletes-its-inputs": ["deletes the artifacts that the job was started with", { handlers: withInputs }],
  },
});
