import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { fixtureAppId } from "../../reference/alpha/mini-apps.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { timestamp } from "../../reference/core/times.ts";
import { around } from "../../reference/main.ts";
import { inObject, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { firstOfPage, forgetting } from "../paging/filters.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, drop, without } from "../values.ts";
import { fromSecondTime, inState, internalError, isIn } from "./states.ts";

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** True for the beginning of the id of the mini app that fixtures run. */
const isBeginning = (id: JsonValue | undefined) => isText(id) && fixtureAppId.startsWith(id);

/** Whether a filter is a pattern that the fixtures' mini app fits: any letters for a percent sign, one for an underscore. */
const isPattern = (filter: unknown) =>
  isText(filter) && new RegExp(`^${filter.replaceAll("%", ".*").replaceAll("_", ".")}$`).test(fixtureAppId);

const isEnd = (filter: unknown) => isText(filter) && fixtureAppId.endsWith(filter);

const shown = { GetJob: "job", ListJobs: "jobs[]", WatchJob: "job" };

/** A job that is tried again forgets what it was started with. */
const forgettingInputs = around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
  const reply = await next(context, request);
  const { job: jobs } = context.world.tables;
  const id = idText(reply.job?.id);
  const unwatch = jobs.watch(id, (job) => {
    if (job === undefined || job.attemptCount < 2) return;
    unwatch();
    jobs.change(id, { inputArtifactIds: [] });
  });
  return reply;
});

/** A job keeps so many of its inputs. */
const keepingInputs = (
  most: number,
  of: (request: { readonly secretIds: readonly unknown[] }) => boolean = () => true,
) =>
  around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
    const reply = await next(context, request);
    const id = idText(reply.job?.id);
    if (request.inputArtifactIds.length <= most || !of(request)) return reply;
    const inputArtifactIds = request.inputArtifactIds.slice(0, most);
    return { ...reply, job: context.world.tables.job.change(id, { inputArtifactIds }) };
  });

/** A job that is canceled is dated anew. */
const datedAnew = around(JobService.method.cancelJob, (next) => async (context, request) => {
  const reply = await next(context, request);
  const createdAt = timestamp(context.world.clock.now());
  return { ...reply, job: context.world.tables.job.change(idText(reply.job?.id), { createdAt }) };
});

/** Shows a job that has been in a state for 600 ms as failed. */
const laterFailed = (state: string) =>
  inObject("job", (job) =>
    isIn(state)(job) && Date.now() - Date.parse(String(job.completedAt)) > 600
      ? { ...job, state: "JOB_STATE_FAILED", terminalError: internalError }
      : job,
  );

export const jobFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.errors.terminal": {
    ...inEach(shown, (path) => ({
      "failed-without-error": ["leaves terminalError out", inReply(`${path}.terminalError`, drop)],
    })),
  },
  "*.errors.terminal-of-failed": inEach(shown, (path) => ({
    "error-on-success": [
      "gives jobs that succeeded a terminalError",
      inState(path, "SUCCEEDED", (job) => ({ ...job, terminalError: internalError })),
    ],
  })),
  "*.errors.violations": inEach(shown, (path) => ({
    "failed-for-a-field-undescribed": [
      "names a field that a job failed for, and does not say why",
      inState(path, "FAILED", (job) => ({
        ...job,
        terminalError: { ...(job.terminalError as JsonObject), fieldViolations: [{ field: "input" }] },
      })),
    ],
  })),
  "*.jobs.completed-at": {
    ...inEach(shown, (path) => ({
      "never-completed": ["leaves completedAt out", inReply(`${path}.completedAt`, drop)],
    })),
    "GetJob-completed-too-soon": [
      "gives running jobs a completedAt",
      inState("job", "RUNNING", (job) => ({ ...job, completedAt: job.createdAt ?? "" })),
    ],
    "RunAsync-completed-too-soon": [
      "gives queued jobs a completedAt",
      inObject("job", (job) => ({ ...job, completedAt: job.createdAt ?? "" })),
    ],
  },
  "*.jobs.progress": inEach(shown, (path) => ({
    "progress-beyond": ["shows a progress of 150", inObject(path, (job) => ({ ...job, progressPercent: 150 }))],
  })),
  "*.jobs.settle": {
    "GetJob-runs-again": [
      "shows a finished job as running again",
      fromSecondTime(
        "job",
        (job) => job.completedAt !== undefined,
        (job) => without({ ...job, state: "JOB_STATE_RUNNING" }, "completedAt"),
      ),
    ],
    "GetJob-canceled-fails-later": ["shows a job that was canceled as failed 600 ms later", laterFailed("CANCELED")],
    "GetJob-succeeded-fails-later": ["shows a job that succeeded as failed 600 ms later", laterFailed("SUCCEEDED")],
  },
  "*.enums.specified": {
    "GetJob-error-without-reason": [
      "leaves the reason out of a terminalError",
      inReply("job.terminalError.reason", drop),
    ],
  },
  "*.jobs.attempts": {
    "GetJob-attempts-beyond": ["counts more attempts than the mini app allows", inReply("job.attemptCount", () => 99)],
  },
  "*.jobs.results": {
    "GetJob-results-that-are-not": [
      "names result artifacts that do not exist",
      inReply("job.resultArtifactIds[]", another),
    ],
    "GetJob-results-of-failed-jobs-that-are-not": [
      "names result artifacts of failed jobs that do not exist",
      inObject("job", (job) =>
        job.state === "JOB_STATE_FAILED" && job.id !== undefined ? { ...job, resultArtifactIds: [job.id] } : job,
      ),
    ],
    "GetArtifact-owned-by-another-job": [
      "names another job as the owner of a result",
      inReply("artifact.owningJobId", another),
    ],
    "CreateArtifactDownload-results-without-content": [
      "issues URLs for results at which nothing is",
      {
        handlers: around(ArtifactService.method.createArtifactDownload, (next) => (context, request) => {
          const { tables, contents } = context.world;
          const id = idText(request.artifactId);
          if (tables.artifact.find(id)?.record.owningJobId !== undefined) contents.delete(id);
          return next(context, request);
        }),
      },
    ],
  },
  "*.records.agree": {
    "CancelJob-dated-anew": ["a job is created at its cancellation", { handlers: datedAnew }],
  },
  "*.records.echo": {
    "RunAsync-retry-forgets-inputs": [
      "forgets the inputs of a job that is tried again",
      { handlers: forgettingInputs },
    ],
    "RunAsync-keeps-two-inputs": ["a job keeps the first two of its inputs", { handlers: keepingInputs(2) }],
    "RunAsync-keeps-three-inputs": ["a job keeps the first three of its inputs", { handlers: keepingInputs(3) }],
    "RunAsync-keeps-one-input-beside-secrets": [
      "a job that is given secrets keeps the first of its inputs",
      { handlers: keepingInputs(1, (request) => request.secretIds.length > 0) },
    ],
    "RunAsync-forgets-inputs": ["leaves the input artifacts out of the job", inReply("job.inputArtifactIds", drop)],
    "GetJob-forgets-inputs": ["leaves the input artifacts out of the job", inReply("job.inputArtifactIds", drop)],
  },
  "*.filters.complete": {
    "ListJobs-state-filter-incomplete": ["shows one job a page when asked for a state", firstOfPage("jobs", "state")],
    "ListJobs-mini-app-filter-incomplete": [
      "shows one job a page when asked for a mini app",
      firstOfPage("jobs", "miniAppId"),
    ],
    "ListWebhookDeliveries-filter-incomplete": [
      "shows one delivery a page when asked for an endpoint",
      firstOfPage("deliveries", "endpointId"),
    ],
  },
  "*.filters.hold": {
    "ListJobs-ignores-state": ["shows jobs in every state", forgetting("state")],
    "ListJobs-canceled-as-canceling": [
      "shows canceled jobs where those are asked for that are being canceled",
      onRequest((json) => (json.state === "JOB_STATE_CANCELING" ? { ...json, state: "JOB_STATE_CANCELED" } : json)),
    ],
    "ListJobs-running-as-queued": [
      "shows running jobs where queued ones are asked for",
      onRequest((json) => (json.state === "JOB_STATE_QUEUED" ? { ...json, state: "JOB_STATE_RUNNING" } : json)),
    ],
    "ListJobs-ignores-mini-app": ["shows the jobs of every mini app", forgetting("miniAppId")],
    "ListJobs-unknown-mini-app-by-state": [
      "shows the jobs of every mini app where a state and an unknown one are asked for",
      forgetting("miniAppId", "every page", (request) => {
        const id = readField(request, "miniAppId");
        return readField(request, "state") !== 0 && id !== "" && id !== fixtureAppId;
      }),
    ],
    "ListJobs-ignores-mini-app-with-state": [
      "shows the jobs of every mini app when asked for a state",
      onRequest((json) => (json.state === undefined || !isText(json.miniAppId) ? json : without(json, "miniAppId"))),
    ],
    "ListJobs-matches-beginnings-of-mini-apps": [
      "shows the jobs of mini apps whose id begins as the one asked for",
      onRequest((json) => (isBeginning(json.miniAppId) ? { ...json, miniAppId: fixtureAppId } : json)),
    ],
    "ListJobs-mini-apps-as-patterns": [
      "takes a mini app for a pattern of SQL's LIKE",
      forgetting("miniAppId", "every page", (request) => isPattern(readField(request, "miniAppId"))),
    ],
    "ListJobs-matches-ends-of-mini-apps": [
      "shows the jobs of mini apps whose id ends as the one asked for",
      forgetting("miniAppId", "every page", (request) => isEnd(readField(request, "miniAppId"))),
    ],
    "ListJobs-ignores-state-on-later-pages": [
      "shows jobs in every state behind the first page",
      forgetting("state", "later pages"),
    ],
    "ListJobs-ignores-state-of-two-filters-on-later-pages": [
      "shows jobs in every state behind the first page, where a mini app is asked for too",
      forgetting("state", "later pages", (request) => readField(request, "miniAppId") !== ""),
    ],
    "ListWebhookDeliveries-ignores-endpoint": ["shows the deliveries of every endpoint", forgetting("endpointId")],
  },
});
