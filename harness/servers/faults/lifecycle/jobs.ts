import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CancelJobResponseSchema, JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const service = "alpha.v1.JobService";
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

/** Where the job records of an RPC's replies stand. */
const places: readonly (readonly [rpc: string, path: string])[] = [
  [`${service}/GetJob`, "job"],
  [`${service}/ListJobs`, "jobs[]"],
  [`${service}/WatchJob`, "job"],
];

type Edit = (job: JsonObject) => JsonObject;

/** Job records of an RPC that are wrong in themselves. */
function showing(rpc: string, path: string, edit: Edit): AlphaDecoration {
  return { reply: forRpc(rpc, (json: JsonObject) => editAt(json, path, (job) => edit(job as JsonObject))) };
}

function without(job: JsonObject, field: string): JsonObject {
  const { [field]: _, ...others } = job;
  return others;
}

const when =
  (state: string, edit: Edit): Edit =>
  (job) =>
    job.state === `JOB_STATE_${state}` ? edit(job) : job;

const contradictory: readonly (readonly [id: string, breaks: string, says: string, edit: Edit])[] = [
  ["failed-without-error", "alpha.errors.terminal", "leaves terminalError out", (job) => without(job, "terminalError")],
  [
    "error-on-success",
    "alpha.errors.terminal",
    "gives jobs that succeeded a terminalError",
    when("SUCCEEDED", (job) => ({ ...job, terminalError: { reason: "ERROR_REASON_INTERNAL" } })),
  ],
  ["never-completed", "alpha.jobs.completed-at", "leaves completedAt out", (job) => without(job, "completedAt")],
  ["progress-beyond", "alpha.jobs.progress", "shows a progress of 150", (job) => ({ ...job, progressPercent: 150 })],
];

const records = contradictory.flatMap(([id, breaks, says, edit]) =>
  places.map(([rpc, path]) =>
    defineFault({
      id: `lifecycle/${rpc.split("/")[1]}-${id}`,
      says: `${rpc.split("/")[1]} ${says}`,
      breaks,
      rpc,
      decoration: showing(rpc, path, edit),
    }),
  ),
);

/** The second time a job is read as finished it runs again. */
function runningAgain(): AlphaDecoration {
  const seen = new Set<string>();
  return showing(`${service}/GetJob`, "job", (job) => {
    if (job.completedAt === undefined) return job;
    const id = JSON.stringify(job.id);
    if (!seen.has(id)) {
      seen.add(id);
      return job;
    }
    return without({ ...job, state: "JOB_STATE_RUNNING" }, "completedAt");
  });
}

/** A cancellation that the worker overlooks for a while. */
const canceledLate: AlphaDecoration = {
  handlers: around(JobService.method.cancelJob, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { tables, clock } = context.world;
    const id = idText(request.jobId);
    tables.job.change(id, { state: JobState.RUNNING });
    clock.after(150, () => {
      const fields = { state: JobState.CANCELED, completedAt: timestampFromMs(clock.now()) };
      if (tables.job.find(id) !== undefined) tables.job.change(id, fields);
    });
    return reply;
  }),
};

const canceledNever: AlphaDecoration = {
  handlers: around(
    JobService.method.cancelJob,
    () => (context, request) =>
      create(CancelJobResponseSchema, { job: context.world.tables.job.get(idText(request.jobId)) }),
  ),
};

/** A filtered listing that shows one item of every page that fits, and leaves the others out. */
function dropping(rpc: string, field: string, filter: string): AlphaDecoration {
  return {
    reply: forRpc(rpc, (json: JsonObject, call) => {
      if (call.request[filter] === undefined) return json;
      return { ...json, [field]: ((json[field] ?? []) as JsonValue[]).slice(0, 1) };
    }),
  };
}

/** A listing that forgets a filter: from the first page on, or on the pages behind it. */
function unfiltered(rpc: string, filter: string, where: "everywhere" | "later pages"): AlphaDecoration {
  return {
    request: forRpc(rpc, (json: JsonObject) => {
      const cursor = ((json.page ?? {}) as JsonObject).cursor ?? "";
      return where === "everywhere" || cursor !== "" ? without(json, filter) : json;
    }),
    // Its cursors are not bound to a filter.
    parts: ({ decodeCursor }) => ({
      decodeCursor: (context, cursor, own) =>
        decodeCursor(context, cursor, own) ??
        (context.row.name === rpc ? positionIn(cursor, context.row.name, context.workspaceId) : undefined),
    }),
  };
}

/** What a cursor of ours says, unchecked: only a server with this fault reads it so. */
function positionIn(cursor: string, rpc: string, workspaceId: string) {
  const [, , filter = "", after = 0] = JSON.parse(Buffer.from(cursor, "base64url").subarray(16).toString()) as [
    string,
    string,
    string,
    number,
  ];
  return { rpc, workspaceId, filter, after };
}

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: AlphaDecoration];

const runAsync = "alpha.v1.PublicTestFixtureService/RunAsync";

const rows: readonly Row[] = [
  [
    "GetJob-runs-again",
    `${service}/GetJob`,
    "alpha.jobs.settle",
    "shows a finished job as running again",
    runningAgain(),
  ],
  [
    "GetJob-completed-too-soon",
    `${service}/GetJob`,
    "alpha.jobs.completed-at",
    "gives running jobs a completedAt",
    showing(
      `${service}/GetJob`,
      "job",
      when("RUNNING", (job) => ({ ...job, completedAt: job.createdAt ?? "" })),
    ),
  ],
  [
    "RunAsync-completed-too-soon",
    runAsync,
    "alpha.jobs.completed-at",
    "gives queued jobs a completedAt",
    showing(runAsync, "job", (job) => ({ ...job, completedAt: job.createdAt ?? "" })),
  ],
  [
    "CancelJob-error-while-canceling",
    `${service}/CancelJob`,
    "alpha.errors.terminal",
    "gives a job that is being canceled a terminalError",
    showing(`${service}/CancelJob`, "job", (job) => ({ ...job, terminalError: { reason: "ERROR_REASON_INTERNAL" } })),
  ],
  [
    "GetJob-error-without-reason",
    `${service}/GetJob`,
    "alpha.enums.specified",
    "leaves the reason out of a terminalError",
    changedReply(`${service}/GetJob`, "job.terminalError.reason", () => undefined),
  ],
  [
    "GetJob-attempts-beyond",
    `${service}/GetJob`,
    "alpha.jobs.attempts",
    "counts more attempts than the mini app allows",
    changedReply(`${service}/GetJob`, "job.attemptCount", () => 99),
  ],
  [
    "GetJob-results-that-are-not",
    `${service}/GetJob`,
    "alpha.jobs.results",
    "names result artifacts that do not exist",
    changedReply(`${service}/GetJob`, "job.resultArtifactIds[]", () => noId),
  ],
  [
    "GetArtifact-owned-by-another-job",
    "alpha.v1.ArtifactService/GetArtifact",
    "alpha.jobs.results",
    "names another job as the owner of a result",
    changedReply("alpha.v1.ArtifactService/GetArtifact", "artifact.owningJobId", () => noId),
  ],
  [
    "CancelJob-without-effect",
    `${service}/CancelJob`,
    "alpha.jobs.cancel",
    "answers and lets the job run on",
    canceledNever,
  ],
  [
    "CancelJob-runs-on-for-a-while",
    `${service}/CancelJob`,
    "alpha.jobs.cancel",
    "puts the job back to running after it was canceling",
    canceledLate,
  ],
  [
    "RunAsync-forgets-inputs",
    runAsync,
    "alpha.records.echo",
    "leaves the input artifacts out of the job",
    changedReply(runAsync, "job.inputArtifactIds", () => undefined),
  ],
  [
    "GetJob-forgets-inputs",
    `${service}/GetJob`,
    "alpha.records.echo",
    "leaves the input artifacts out of the job",
    changedReply(`${service}/GetJob`, "job.inputArtifactIds", () => undefined),
  ],
  [
    "ListJobs-state-filter-incomplete",
    `${service}/ListJobs`,
    "alpha.filters.complete",
    "shows one job a page when asked for a state",
    dropping(`${service}/ListJobs`, "jobs", "state"),
  ],
  [
    "ListJobs-mini-app-filter-incomplete",
    `${service}/ListJobs`,
    "alpha.filters.complete",
    "shows one job a page when asked for a mini app",
    dropping(`${service}/ListJobs`, "jobs", "miniAppId"),
  ],
  [
    "ListJobs-ignores-state",
    `${service}/ListJobs`,
    "alpha.filters.hold",
    "shows jobs in every state",
    unfiltered(`${service}/ListJobs`, "state", "everywhere"),
  ],
  [
    "ListJobs-ignores-mini-app",
    `${service}/ListJobs`,
    "alpha.filters.hold",
    "shows the jobs of every mini app",
    unfiltered(`${service}/ListJobs`, "miniAppId", "everywhere"),
  ],
  [
    "ListJobs-ignores-state-on-later-pages",
    `${service}/ListJobs`,
    "alpha.filters.hold",
    "shows jobs in every state behind the first page",
    unfiltered(`${service}/ListJobs`, "state", "later pages"),
  ],
  [
    "ListWebhookDeliveries-ignores-endpoint",
    "alpha.v1.WebhookService/ListWebhookDeliveries",
    "alpha.filters.hold",
    "shows the deliveries of every endpoint",
    unfiltered("alpha.v1.WebhookService/ListWebhookDeliveries", "endpointId", "everywhere"),
  ],
  [
    "ListWebhookDeliveries-filter-incomplete",
    "alpha.v1.WebhookService/ListWebhookDeliveries",
    "alpha.filters.complete",
    "shows one delivery a page when asked for an endpoint",
    dropping("alpha.v1.WebhookService/ListWebhookDeliveries", "deliveries", "endpointId"),
  ],
];

export const jobFaults: readonly Fault[] = [
  ...records,
  ...rows.map(([id, rpc, breaks, says, decoration]) =>
    defineFault({ id: `lifecycle/${id}`, says: `${rpc.split("/")[1]} ${says}`, breaks, rpc, decoration }),
  ),
];
