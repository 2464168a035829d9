import { create } from "@bufbuild/protobuf";
import { ListJobsResponseSchema, PlatformService } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import type { Job, Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { lifeOf } from "../../reference/beta/life.ts";
import { pageOfTable } from "../../reference/beta/listing.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Whether a run has a job: one that leaves artifacts has. */
function hasJob(world: BetaWorld, run: Run): boolean {
  return lifeOf(world, run).script.steps.some((step) => step.do === "attach");
}

function shown(world: BetaWorld, run: Run | undefined): Run | undefined {
  return run === undefined || hasJob(world, run) ? run : { ...run, jobId: undefined };
}

const { cancelRun, createRun, getRun, listRuns } = RunService.method;
const { getJob, listJobs } = PlatformService.method;

/** Runs without a job, beside those that need one for what they leave. */
export const joblessRunVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "jobs-of-artifacts-only",
    says: "gives a job to runs that leave artifacts, and to no other",
    open: ["beta.open.apps"],
    permits: ["not-exercised"],
    decoration: {
      handlers: {
        ...aroundBeta(createRun, (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, run: shown(context.world, reply.run) };
        }),
        ...aroundBeta(getRun, (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, run: shown(context.world, reply.run) };
        }),
        ...aroundBeta(cancelRun, (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, run: shown(context.world, reply.run) };
        }),
        ...aroundBeta(listRuns, (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, runs: reply.runs.map((run) => shown(context.world, run) ?? run) };
        }),
        ...aroundBeta(getJob, (next) => async (context, request) => {
          const { world } = context;
          const reply = await next(context, request);
          const run = world.tables.run.get(idText(reply.job?.runId));
          return hasJob(world, run) ? reply : refuse("RESOURCE_NOT_FOUND", "no such job");
        }),
        ...aroundBeta(listJobs, () => (context, request) => {
          const { world } = context;
          const { tables } = world;
          const fits = (job: Job) => hasJob(world, tables.run.get(idText(job.runId)));
          const { records: jobs, page } = pageOfTable(context, request.page, tables.job, { fits });
          return create(ListJobsResponseSchema, { jobs, page });
        }),
      },
    },
  }),
];
