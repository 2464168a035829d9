import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ApprovalService, DecideApprovalResponseSchema } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalState, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CancelRunResponseSchema, RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { moveRun } from "../../reference/beta/progress.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.RunService";
const getRun = `${service}/GetRun`;
const listRuns = `${service}/ListRuns`;
const cancelRun = `${service}/CancelRun`;
const createRun = `${service}/CreateRun`;
const payload = `${service}/GetRunPayload`;
const getJob = "beta.v1.PlatformService/GetJob";
const listJobs = "beta.v1.PlatformService/ListJobs";
const decide = "beta.v1.ApprovalService/DecideApproval";
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

type Edit = (record: JsonObject) => JsonObject;

/** Records of an RPC that are wrong in themselves. */
function showing(rpc: string, path: string, edit: Edit): BetaDecoration {
  return { reply: forRpc(rpc, (json: JsonObject) => editAt(json, path, (record) => edit(record as JsonObject))) };
}

function without(record: JsonObject, field: string): JsonObject {
  const { [field]: _, ...others } = record;
  return others;
}

const when =
  (state: string, edit: Edit): Edit =>
  (record) =>
    record.state === `RUN_STATE_${state}` ? edit(record) : record;

/** From the second time on that a record is read in a state, it is shown otherwise. */
function later(rpc: string, path: string, state: string, edit: Edit): BetaDecoration {
  const seen = new Set<string>();
  return showing(
    rpc,
    path,
    when(state, (record) => {
      const id = JSON.stringify(record.runId);
      if (seen.has(id)) return edit(record);
      seen.add(id);
      return record;
    }),
  );
}

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: BetaDecoration];

const places: readonly (readonly [rpc: string, path: string])[] = [
  [getRun, "run"],
  [listRuns, "runs[]"],
];

const internal = { reason: "ERROR_REASON_INTERNAL" };

const contradictory: readonly Row[] = places.flatMap(([rpc, path]): readonly Row[] => [
  [
    "failed-without-error",
    rpc,
    "errors.run",
    "leaves the error out",
    showing(rpc, path, (run) => without(run, "error")),
  ],
  [
    "error-on-success",
    rpc,
    "errors.run",
    "gives runs that succeeded an error",
    showing(
      rpc,
      path,
      when("SUCCEEDED", (run) => ({ ...run, error: internal })),
    ),
  ],
  [
    "negative-cost",
    rpc,
    "runs.cost",
    "shows a negative cost",
    changedReply(rpc, `${path}.settledCustomerCost.millionths`, (cost) => `-${String(cost)}`),
  ],
]);

/** A cancellation that the worker overlooks for a while. */
const canceledLate: BetaDecoration = {
  handlers: aroundBeta(RunService.method.cancelRun, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { world } = context;
    const id = idText(request.runId);
    world.clock.after(1, () => {
      if (world.tables.run.find(id)?.record.state === RunState.CANCELING)
        moveRun(world, id, { state: RunState.RUNNING });
    });
    world.clock.after(150, () => {
      if (world.tables.run.find(id)?.record.state === RunState.RUNNING)
        moveRun(world, id, { state: RunState.CANCELED });
    });
    return reply;
  }),
};

/** The answer of a cancellation, and nothing else. */
const canceledNever: BetaDecoration = {
  handlers: aroundBeta(
    RunService.method.cancelRun,
    () => (context, request) =>
      create(CancelRunResponseSchema, { run: context.world.tables.run.get(idText(request.runId)) }),
  ),
};

/** Finished runs are canceled too. */
const canceledAfterwards: BetaDecoration = {
  handlers: aroundBeta(RunService.method.cancelRun, (next) => (context, request) => {
    const id = idText(request.runId);
    const run = context.world.tables.run.get(id);
    if (run.state !== RunState.SUCCEEDED) return next(context, request);
    return create(CancelRunResponseSchema, { run: moveRun(context.world, id, { state: RunState.CANCELED }) });
  }),
};

/** A decision brings back a run that was canceled. */
const revived: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.decideApproval, (next) => (context, request) => {
    const { world } = context;
    const approval = world.tables.approval.get(idText(request.approvalId));
    if (approval.state !== ApprovalState.CANCELED) return next(context, request);
    const id = idText(approval.runId);
    moveRun(world, id, { state: RunState.RUNNING });
    world.clock.after(1000, () => void moveRun(world, id, { state: RunState.SUCCEEDED }));
    return create(DecideApprovalResponseSchema, { approval });
  }),
};

function changedText(path: string, change: (text: string) => JsonValue | undefined): BetaDecoration {
  return changedReply(payload, path, (text) => change(String(text)));
}

const notAscii = /[^\x20-\x7e]/gu;

const ofRuns: readonly Row[] = [
  [
    "runs-again",
    getRun,
    "runs.settle",
    "shows a run that succeeded as running again",
    later(getRun, "run", "SUCCEEDED", (run) => ({ ...run, state: "RUN_STATE_RUNNING" })),
  ],
  [
    "recovers",
    getRun,
    "runs.settle",
    "shows a run that failed as succeeded after a while",
    later(getRun, "run", "FAILED", (run) => without({ ...run, state: "RUN_STATE_SUCCEEDED" }, "error")),
  ],
  [
    "outcome-known-later",
    getRun,
    "runs.settle",
    "shows a run of unknown outcome as canceled after a while",
    later(getRun, "run", "OUTCOME_UNKNOWN", (run) => ({ ...run, state: "RUN_STATE_CANCELED" })),
  ],
  [
    "cost-grows",
    getRun,
    "runs.cost",
    "shows a higher cost the second time",
    later(getRun, "run", "SUCCEEDED", (run) => ({ ...run, settledCustomerCost: { millionths: "99000000" } })),
  ],
  [
    "cost-forgotten",
    getRun,
    "runs.cost",
    "shows no cost the second time",
    later(getRun, "run", "SUCCEEDED", (run) => without(run, "settledCustomerCost")),
  ],
  [
    "error-without-reason",
    getRun,
    "errors.run",
    "leaves the reason out of an error",
    changedReply(getRun, "run.error.reason", () => undefined),
  ],
  ["without-effect", cancelRun, "runs.cancel", "answers and lets the run go on", canceledNever],
  ["goes-on-for-a-while", cancelRun, "runs.cancel", "has the run running again before it ends", canceledLate],
  ["after-the-end", cancelRun, "runs.settle", "cancels runs that have succeeded", canceledAfterwards],
  ["revives", decide, "runs.settle", "lets a canceled run go on", revived],
  ["input-missing", payload, "runs.payload", "leaves the input out", changedText("payload.input", () => undefined)],
  [
    "input-trimmed",
    payload,
    "runs.payload",
    "shows the input without its line breaks",
    changedText("payload.input.text", (text) => text.replaceAll(/\s+/g, " ")),
  ],
  [
    "input-in-ascii",
    payload,
    "runs.payload",
    "shows question marks for other alphabets",
    changedText("payload.input.text", (text) => text.replaceAll(notAscii, "?")),
  ],
  [
    "input-in-upper-case",
    payload,
    "runs.payload",
    "shows the input in upper case",
    changedText("payload.input.text", (text) => text.toUpperCase()),
  ],
  [
    "input-is-output",
    payload,
    "runs.payload",
    "shows the output as the input",
    {
      reply: forRpc(payload, (json: JsonObject) =>
        editAt(json, "payload", (one) => ({ ...(one as JsonObject), input: (one as JsonObject).output ?? {} })),
      ),
    },
  ],
  ["output-missing", payload, "runs.output", "leaves the output out", changedText("payload.output", () => undefined)],
  ["output-empty", payload, "runs.output", "shows an empty output", changedText("payload.output.text", () => "")],
  [
    "app-version-forgotten",
    getRun,
    "versioning.app-version",
    "shows another app version than the run's",
    changedReply(getRun, "run.appVersionId", () => noId),
  ],
  [
    "created-with-another-app-version",
    createRun,
    "versioning.app-version",
    "shows another app version than was asked for",
    changedReply(createRun, "run.appVersionId", () => noId),
  ],
  [
    "ignores-session",
    listRuns,
    "filters.hold",
    "shows the runs of every session",
    { request: forRpc(listRuns, (json: JsonObject) => without(json, "sessionId")) },
  ],
  [
    "session-filter-incomplete",
    listRuns,
    "filters.complete",
    "shows one run a page when asked for a session",
    {
      reply: forRpc(listRuns, (json: JsonObject, { request }) =>
        request.sessionId === undefined ? json : { ...json, runs: ((json.runs ?? []) as JsonValue[]).slice(0, 1) },
      ),
    },
  ],
];

const jobPlaces: readonly (readonly [rpc: string, path: string])[] = [
  [getJob, "job"],
  [listJobs, "jobs[]"],
];

const ofJobs: readonly Row[] = [
  ...jobPlaces.flatMap(([rpc, path]): readonly Row[] => [
    ["of-another-run", rpc, "jobs.agree", "names another run", changedReply(rpc, `${path}.runId`, () => noId)],
    [
      "failed-as-succeeded",
      rpc,
      "jobs.agree",
      "shows the job of a failed run as succeeded",
      showing(
        rpc,
        path,
        when("FAILED", (job) => ({ ...job, state: "RUN_STATE_SUCCEEDED" })),
      ),
    ],
    [
      "never-completed",
      rpc,
      "jobs.completed-at",
      "leaves completedAt out",
      showing(rpc, path, (job) => without(job, "completedAt")),
    ],
    [
      "made-later-than-completed",
      rpc,
      "records.times",
      "dates a job later than its completion",
      showing(rpc, path, (job) =>
        job.completedAt === undefined ? job : { ...job, createdAt: "2099-01-01T00:00:00Z" },
      ),
    ],
  ]),
  [
    "runs-again",
    getJob,
    "runs.settle",
    "shows a finished job as running again",
    later(getJob, "job", "SUCCEEDED", (job) => without({ ...job, state: "RUN_STATE_RUNNING" }, "completedAt")),
  ],
  [
    "completed-too-soon",
    listJobs,
    "jobs.completed-at",
    "gives unfinished jobs a completedAt",
    showing(listJobs, "jobs[]", (job) => ({ ...job, completedAt: job.completedAt ?? job.createdAt ?? "" })),
  ],
  [
    "unknown-as-failed",
    getJob,
    "jobs.agree",
    "shows the job of a run of unknown outcome as failed",
    showing(
      getJob,
      "job",
      when("OUTCOME_UNKNOWN", (job) => ({ ...job, state: "RUN_STATE_FAILED" })),
    ),
  ],
  [
    "canceled-as-succeeded",
    getJob,
    "jobs.agree",
    "shows the job of a canceled run as succeeded",
    showing(
      getJob,
      "job",
      when("CANCELED", (job) => ({ ...job, state: "RUN_STATE_SUCCEEDED" })),
    ),
  ],
  [
    "completed-before-its-run",
    getJob,
    "records.times",
    "dates the end of a job before its run was created",
    showing(getJob, "job", (job) =>
      job.completedAt === undefined
        ? job
        : { ...job, createdAt: "2001-01-01T00:00:00Z", completedAt: "2001-01-01T00:00:01Z" },
    ),
  ],
];

export const betaRunFaults: readonly Fault[] = [...contradictory, ...ofRuns, ...ofJobs].map(
  ([id, rpc, breaks, says, decoration]) =>
    defineBetaFault({
      id: `lifecycle/beta-${rpc.split("/")[1]}-${id}`,
      says: `${rpc.split("/")[1]} ${says}`,
      breaks: `beta.${breaks}`,
      // What one RPC shows wrongly is not what others show.
      entails: ["beta.records.agree"],
      rpc,
      decoration,
    }),
);
