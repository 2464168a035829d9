import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobSchema } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { isTerminal } from "../../reference/alpha/worker.ts";
import { around } from "../../reference/core/decoration.ts";
import { subjectOf } from "../../reference/core/implement.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, type Variant } from "../variant.ts";

/** Watches of what has ended. */
export const endedWatches: readonly Variant[] = [
  defineAlphaVariant({
    id: "ended-watches-refused",
    says: "refuses to watch a job that has ended",
    open: ["alpha.open.watch-end", "alpha.open.transitions"],
    alone: true,
    permits: ["not-exercised"],
    decoration: {
      handlers: around(
        JobService.method.watchJob,
        (next) =>
          async function* (context, request) {
            if (isTerminal(subjectOf(context, JobSchema))) refuse("FAILED_PRECONDITION", "the job has ended");
            yield* next(context, request);
          },
      ),
    },
  }),
];
