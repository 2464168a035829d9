import { create } from "@bufbuild/protobuf";
import { ApprovalService, DecideApprovalResponseSchema } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalState, type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CancelRunResponseSchema, RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { moveRun } from "../../reference/beta/progress.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import { inObject, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { firstOfPage } from "../paging/filters.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, changedBytes, drop, unknownId, without } from "../values.ts";
import { fromSecondTime, inState, internalError, isIn } from "./states.ts";

const shown = { GetRun: "run", ListRuns: "runs[]" };

/** Runs that have come to an end are canceled too. */
const canceledAfter = (end: RunState): BetaDecoration => ({
  handlers: aroundBeta(RunService.method.cancelRun, (next) => (context, request) => {
    const id = idText(request.runId);
    const run = context.world.tables.run.get(id);
    if (run.state !== end) return next(context, request);
    return create(CancelRunResponseSchema, { run: moveRun(context.world, id, { state: RunState.CANCELED }) });
  }),
});

/** An approval that was canceled with its run is approved all the same. */
const approvedAfterwards: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.decideApproval, (next) => (context, request) => {
    const { approval: table } = context.world.tables;
    const id = idText(request.approvalId);
    if (table.get(id).state !== ApprovalState.CANCELED) return next(context, request);
    return create(DecideApprovalResponseSchema, { approval: table.change(id, { state: ApprovalState.APPROVED }) });
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

/** The payload of some runs, or to some callers, lacks its input. */
const withoutInput = (isLacking: (run: Run, context: BetaContext) => boolean): BetaDecoration => ({
  handlers: aroundBeta(RunService.method.getRunPayload, (next) => async (context, request) => {
    const reply = await next(context, request);
    const run = context.world.tables.run.get(idText(request.runId));
    return reply.payload !== undefined && isLacking(run, context as BetaContext)
      ? { ...reply, payload: { ...reply.payload, input: undefined } }
      : reply;
  }),
});

/** A run in one state shows another app version. */
const versionLostIn = (state: string) =>
  inObject("run", (run) => (isIn(state)(run) ? { ...run, appVersionId: unknownId } : run));

/** A session without any run is shown the runs of all the user's. */
const allWhereNone: BetaDecoration = {
  handlers: aroundBeta(RunService.method.listRuns, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.runs.length > 0 || (request.page?.cursor ?? "") !== "") return reply;
    return next(context, { ...request, sessionId: undefined });
  }),
};

/** A run of another version than its session's is served, and runs the session's. */
const runningSessions: BetaDecoration = {
  choices: { runVersion: "any" },
  handlers: aroundBeta(RunService.method.createRun, (next) => async (context, request) => {
    const made = await next(context, request);
    const { run, session } = context.world.tables;
    const { appVersionId } = session.get(idText(request.sessionId));
    return made.run === undefined || appVersionId === undefined
      ? made
      : { ...made, run: run.change(idText(made.run.runId), { appVersionId }) };
  }),
};

export const changedInput = (change: (text: string) => string) =>
  inReply("payload.input.text", (text) => change(String(text)));

/** Shows a run that was canceled 600 ms ago as failed. */
const failedLater = inObject("run", (run) =>
  isIn("CANCELED")(run) && Date.now() - Date.parse(String(run.updatedAt)) > 600
    ? { ...run, state: "RUN_STATE_FAILED" }
    : run,
);

export const runFaults: readonly Fault[] = faultsOf(
  "lifecycle",
  "beta.v1",
  {
    "*.errors.run": {
      ...inEach(shown, (path) => ({
        "failed-without-error": ["leaves the error out", inReply(`${path}.error`, drop)],
        "error-on-success": [
          "gives runs that succeeded an error",
          inState(path, "SUCCEEDED", (run) => ({ ...run, error: internalError })),
        ],
      })),
      "GetRun-error-without-reason": ["leaves the reason out of an error", inReply("run.error.reason", drop)],
    },
    "*.runs.cost": {
      ...inEach(shown, (path) => ({
        "negative-cost": [
          "shows a negative cost",
          inReply(`${path}.settledCustomerCost.millionths`, (cost) => `-${String(cost)}`),
        ],
      })),
      "GetRun-cost-grows": [
        "shows a higher cost the second time",
        fromSecondTime("run", isIn("SUCCEEDED"), (run) => ({
          ...run,
          settledCustomerCost: { millionths: "99000000" },
        })),
      ],
      "GetRun-cost-forgotten": [
        "shows no cost the second time",
        fromSecondTime("run", isIn("SUCCEEDED"), (run) => without(run, "settledCustomerCost")),
      ],
    },
    "*.runs.settle": {
      "GetRun-runs-again": [
        "shows a run that succeeded as running again",
        fromSecondTime("run", isIn("SUCCEEDED"), (run) => ({ ...run, state: "RUN_STATE_RUNNING" })),
      ],
      "GetRun-recovers": [
        "shows a run that failed as succeeded after a while",
        fromSecondTime("run", isIn("FAILED"), (run) => without({ ...run, state: "RUN_STATE_SUCCEEDED" }, "error")),
      ],
      "GetRun-outcome-known-later": [
        "shows a run of unknown outcome as canceled after a while",
        fromSecondTime("run", isIn("OUTCOME_UNKNOWN"), (run) => ({ ...run, state: "RUN_STATE_CANCELED" })),
      ],
      "GetRun-fails-in-the-end": ["lets a canceled run fail when its time is over, 600 ms later", failedLater],
      "CancelRun-after-the-end": ["cancels runs that have succeeded", canceledAfter(RunState.SUCCEEDED)],
      "CancelRun-after-a-failure": ["cancels runs that have failed", canceledAfter(RunState.FAILED)],
      "DecideApproval-revives": ["lets a canceled run go on", revived],
    },
    "*.approvals.withdrawn": {
      "DecideApproval-approves-what-was-canceled": ["approves what was canceled with its run", approvedAfterwards],
    },
    "*.runs.payload": {
      "GetRunPayload-input-missing": ["leaves the input out", inReply("payload.input", drop)],
      "GetRunPayload-input-missing-for-tokens": [
        "leaves the input out where a browser token asks for it",
        withoutInput((_run, { principal }) => principal?.kind === CredentialKind.BROWSER_TOKEN),
      ],
      "GetRunPayload-input-missing-once-canceled": [
        "leaves out the input of a run that was canceled",
        withoutInput(({ state }) => state === RunState.CANCELED),
      ],
      "GetRunPayload-input-missing-of-unknown-outcomes": [
        "leaves out the input of a run of unknown outcome",
        withoutInput(({ state }) => state === RunState.OUTCOME_UNKNOWN),
      ],
      "GetRunPayload-input-trimmed": [
        "shows the input without its line breaks",
        changedInput((text) => text.replaceAll(/\s+/g, " ")),
      ],
      "GetRunPayload-input-in-ascii": [
        "shows question marks for other alphabets",
        changedInput((text) => text.replaceAll(/[^\x20-\x7e]/gu, "?")),
      ],
      "GetRunPayload-input-in-upper-case": [
        "shows the input in upper case",
        changedInput((text) => text.toUpperCase()),
      ],
      "GetRunPayload-input-is-output": [
        "shows the output as the input",
        inObject("payload", (payload) => ({ ...payload, input: payload.output ?? {} })),
      ],
    },
    "*.runs.output": {
      "GetRunPayload-other-arguments": [
        "shows a tool call with other arguments than were approved",
        inReply(
          "payload.toolCalls[].arguments.value",
          changedBytes((json) => Buffer.from(JSON.stringify({ ...JSON.parse(json.toString()), unapproved: true }))),
        ),
      ],
      "GetRunPayload-output-missing": ["leaves the output out", inReply("payload.output", drop)],
      "GetRunPayload-output-empty": ["shows an empty output", inReply("payload.output.text", () => "")],
    },
    "*.versioning.app-version": {
      "CreateRun-takes-the-sessions-version": [
        "runs the session's app version, whichever is asked for",
        runningSessions,
      ],
      "GetRun-app-version-forgotten": [
        "shows another app version than the run's",
        inReply("run.appVersionId", another),
      ],
      ...Object.fromEntries(
        ["CANCELED", "FAILED", "OUTCOME_UNKNOWN", "AWAITING_APPROVAL"].map((state) => [
          `GetRun-app-version-forgotten-once-${state.toLowerCase().replace("_", "-")}`,
          [`shows another app version of a run that is ${state}`, versionLostIn(state)] as const,
        ]),
      ),
      "CreateRun-created-with-another-app-version": [
        "shows another app version than was asked for",
        inReply("run.appVersionId", another),
      ],
    },
    "*.filters.hold": {
      "ListRuns-ignores-session": ["shows the runs of every session", onRequest((json) => without(json, "sessionId"))],
      "ListRuns-of-all-where-of-none": ["shows the runs of every session for one without any", allWhereNone],
    },
    "*.filters.complete": {
      "ListRuns-session-filter-incomplete": [
        "shows one run a page when asked for a session",
        firstOfPage("runs", "sessionId"),
      ],
    },
  },
  // What one RPC shows wrongly is not what others show.
  { entails: ["*.records.agree"] },
);
