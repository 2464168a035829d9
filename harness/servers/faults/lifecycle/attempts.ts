import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Answers that a job which waits for its next attempt is canceled, and lets it succeed. */
const attemptedAllTheSame: AlphaDecoration = {
  handlers: around(JobService.method.cancelJob, (next) => async (context, request) => {
    const { tables, clock } = context.world;
    const id = idText(request.jobId);
    const waits = tables.job.find(id)?.record.nextAttemptAt !== undefined;
    const reply = await next(context, request);
    if (!waits) return reply;
    const job = tables.job.change(id, { state: JobState.CANCELED, completedAt: timestampFromMs(clock.now()) });
    clock.after(120, () => {
      if (tables.job.find(id) === undefined) return;
      tables.job.change(id, { state: JobState.RUNNING });
      clock.after(60, () => void (tables.job.find(id) && tables.job.change(id, { state: JobState.SUCCEEDED })));
    });
    return { ...reply, job };
  }),
};

/** Cancellations between two attempts. */
export const attemptFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.jobs.settle": {
    "GetJob-canceled-between-attempts-goes-on": [
      "answers that a job which waits for its next attempt is canceled, and makes the attempt",
      attemptedAllTheSame,
      { also: ["*.records.agree", "*.jobs.completed-at"] },
    ],
  },
});
