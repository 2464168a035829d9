import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/core/decoration.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { listJobs } = JobService.method;

/** Filters that are applied to pages once they are cut. */
export const lateFilterVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "filters-after-pages",
    says: "cuts pages of jobs first and filters them then, so that many are empty and lead on",
    open: ["alpha.open.page-size", "alpha.open.bad-cursor"],
    decoration: {
      handlers: around<typeof listJobs, AlphaWorld>(listJobs, (next) => async (context, request) => {
        const { state, miniAppId } = request;
        const page = await next(context, { ...request, state: JobState.UNSPECIFIED, miniAppId: "" });
        const fits = (job: NonNullable<typeof page.jobs>[number]) =>
          (state === JobState.UNSPECIFIED || job.state === state) && (miniAppId === "" || job.miniAppId === miniAppId);
        return { ...page, jobs: (page.jobs ?? []).filter(fits) };
      }),
    },
  }),
];
