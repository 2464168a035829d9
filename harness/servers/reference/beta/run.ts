import { create } from "@bufbuild/protobuf";
import { JobSchema, type Run, RunSchema, RunState, SessionState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { inBackground } from "../core/background.ts";
import { principalOf, tenantKey } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { refuse, refuseFields } from "../core/refusal.ts";
import { findRecord } from "../core/subject.ts";
import type { BetaPrincipal } from "./keys.ts";
import { createLife, isSettling, isTerminal, lifeOf } from "./life.ts";
import { pageOfTable } from "./listing.ts";
import { implement, ownerFields, uuid } from "./messages.ts";
import { publishRun } from "./progress.ts";
import { requireLiveGrant, startable } from "./subject.ts";
import { cancelRun, executeRun } from "./worker.ts";
import type { BetaContext } from "./world.ts";

/** Refuses to start a run beyond the number an app may have at once. */
function requireRoom({ world, tenant }: BetaContext): void {
  const { maximumUnfinishedRuns } = world.choices;
  if (maximumUnfinishedRuns === undefined) return;
  const app = tenantKey({ ...tenant, customerUserId: "" });
  const unfinished = world.tables.run.entries(app).filter(({ record }) => !isTerminal(record)).length;
  if (unfinished < maximumUnfinishedRuns) return;
  refuse("CONCURRENCY_EXHAUSTED", "too many unfinished runs", { retryAfterSeconds: 1 });
}

export const runHandlers = implement(RunService, {
  cancelRun(context) {
    const { world } = context;
    const run = subjectOf(context, RunSchema);
    if (isTerminal(run)) refuse("FAILED_PRECONDITION", "the run has already ended");
    if (run.state === RunState.CANCELING) refuse("FAILED_PRECONDITION", "the run is already being canceled");
    if (isSettling(run) && world.choices.cancelSettlingRun === "refuse") {
      refuse("FAILED_PRECONDITION", "the run's work is done");
    }
    return { run: cancelRun(world, run) };
  },

  createRun(context, { sessionId, input, requestId }) {
    const { world, tenant } = context;
    requireLiveGrant(context);
    const { version } = startable(context);
    const session = findRecord(context, world.tables.session, idText(sessionId), "session");
    if (session.state !== SessionState.ACTIVE) refuse("FAILED_PRECONDITION", "the session is deleted");
    if (world.choices.runVersion === "session's" && idText(session.appVersionId) !== version.appVersionId) {
      refuseFields({ field: "appVersionId", description: "is not the session's" });
    }
    requireRoom(context);

    const { allowedToolIds = [] }: BetaPrincipal = principalOf(context);
    const owner = ownerFields(tenant);
    const runId = uuid(world.newId());
    const jobId = uuid(world.newId());
    const cause = { requestId: idText(requestId), correlationId: context.correlationId };
    world.lives.set(runId.value, createLife(world, input?.text ?? "", { allowedToolIds, cause }));
    world.tables.job.add(create(JobSchema, { jobId, runId, ...owner, state: RunState.QUEUED }));
    const appVersionId = uuid(version.appVersionId);
    const run: Run = world.tables.run.add(
      create(RunSchema, { runId, ...owner, appVersionId, sessionId: session.sessionId, state: RunState.QUEUED, jobId }),
    );
    publishRun(world, run);
    inBackground(executeRun(world, runId.value));
    return { run };
  },

  getRun: (context) => ({ run: subjectOf(context, RunSchema) }),

  getRunPayload(context) {
    const run = subjectOf(context, RunSchema);
    const { input, output, toolCalls } = lifeOf(context.world, run);
    const ended = isTerminal(run) || isSettling(run);
    return { payload: { input: { text: input }, ...(ended && { output: { text: output } }), toolCalls } };
  },

  listRuns(context, { sessionId, page: requested }) {
    const { tables } = context.world;
    const wanted = idText(sessionId);
    if (wanted !== "") findRecord(context, tables.session, wanted, "session");
    const { records, page } = pageOfTable(context, requested, tables.run, {
      fits: (run) => wanted === "" || idText(run.sessionId) === wanted,
      filter: wanted,
    });
    return { runs: records, page };
  },

  async *streamRunText(context, { afterSequence }) {
    const { texts } = lifeOf(context.world, subjectOf(context, RunSchema));
    for await (const event of context.world.parts.follow(context, texts, afterSequence)) yield { event };
  },

  async *watchRun(context, { afterSequence }) {
    const { states } = lifeOf(context.world, subjectOf(context, RunSchema));
    for await (const event of context.world.parts.follow(context, states, afterSequence)) yield { event };
  },
});
