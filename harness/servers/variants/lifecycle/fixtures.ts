import { create } from "@bufbuild/protobuf";
import { JobService, ListJobsResponseSchema } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { getJob, listJobs, watchJob, cancelJob, deleteJob } = JobService.method;

const { runSync, runStream } = PublicTestFixtureService.method;

/** What an input fails with that asks for a failure. */
const dependencyFails = (input: string) => {
  if (input.startsWith("fail")) refuse("DEPENDENCY_UNAVAILABLE", "the input asks for a failure");
};

const unknown = () => () => refuse("RESOURCE_NOT_FOUND", "no such job");

/** What fixtures do, and where their jobs are known. */
export const fixtureVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "fixtures-put-nothing-out",
    says: "runs fixtures whose output is empty",
    open: ["alpha.open.mini-apps"],
    decoration: {
      reply: (json, { row }) => {
        if (!row.fixture || !("output" in json)) return json;
        const { output: _, ...others } = json;
        return others;
      },
    },
  }),
  defineAlphaVariant({
    id: "fixtures-stream-on-request",
    says: "streams nothing for an input that does not ask for a stream, a failure or time",
    open: ["alpha.open.mini-apps"],
    decoration: {
      handlers: around(
        PublicTestFixtureService.method.runStream,
        (next) =>
          async function* (context, request) {
            for await (const message of next(context, request)) {
              if (/^(stream|slow|fail)/.test(request.input)) yield message;
            }
          },
      ),
    },
  }),
  defineAlphaVariant({
    id: "fixtures-fail-by-their-dependencies",
    says: "fails where an input asks for it as a dependency does that is not available",
    open: ["alpha.open.mini-apps"],
    decoration: {
      handlers: {
        ...around(runSync, (next) => (context, request) => {
          dependencyFails(request.input);
          return next(context, request);
        }),
        ...around(
          runStream,
          (next) =>
            async function* (context, request) {
              dependencyFails(request.input);
              yield* next(context, request);
            },
        ),
      },
    },
  }),
  defineAlphaVariant({
    id: "fixture-jobs-are-apart",
    says: "keeps the jobs of fixtures to the test environment: JobService, another server, knows none of them",
    open: ["alpha.open.fixture-sharing"],
    decoration: {
      handlers: {
        ...around(getJob, unknown),
        ...around(cancelJob, unknown),
        ...around(deleteJob, unknown),
        ...around(watchJob, unknown),
        ...around(listJobs, () => () => create(ListJobsResponseSchema, { page: {} })),
      },
    },
    outOfReach: ["job"],
    alone: true,
    permits: ["not-exercised"],
  }),
  defineAlphaVariant({
    id: "jobs-look-for-inputs-when-they-run",
    says: "accepts any artifact and secret as the input of a job, and has the job fail that cannot use one",
    open: ["alpha.open.foreign-answer", "alpha.open.mini-apps"],
    decoration: {
      handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
        try {
          return await next(context, request);
        } catch (error) {
          if (!(error instanceof Refusal) || error.reason !== "RESOURCE_NOT_FOUND") throw error;
          const { inputArtifactIds } = request;
          const reply = await next(context, { ...request, input: "fail", inputArtifactIds: [], secretIds: [] });
          const { job: jobs } = context.world.tables;
          const id = idText(reply.job?.id);
          jobs.put({ ...jobs.get(id), inputArtifactIds });
          if (reply.job !== undefined) reply.job.inputArtifactIds = inputArtifactIds;
          return reply;
        }
      }),
    },
  }),
];
