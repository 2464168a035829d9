import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { around } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { watchJob } = JobService.method;

/** What a watch after a version that its job has not reached is answered. */
export const futureVersionVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "future-watch-refused",
    says: "refuses a watch after a version that its job has not reached",
    open: ["alpha.open.future-watch"],
    decoration: {
      handlers: around(watchJob, (next) => (context, request) => {
        const known = context.world.tables.job.find(idText(request.jobId))?.record.resourceVersion ?? 0n;
        if (request.afterResourceVersion > known) refuse("INVALID_ARGUMENT", "the job has not come to that version");
        return next(context, request);
      }),
    },
  }),
];
