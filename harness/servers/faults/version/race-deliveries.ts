import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { type Approval, type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { announceJob } from "../../reference/alpha/events.ts";
import { announceRun } from "../../reference/beta/events.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import type { Context, Reply } from "../../reference/core/context.ts";
import { idText, readId } from "../../reference/core/fields.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import type { AlphaDecoration, BetaDecoration } from "../../reference/main.ts";
import { defineBetaFault, defineFault, type Fault } from "../fault.ts";

const cancelJob = "alpha.v1.JobService/CancelJob";
const cancelRun = "beta.v1.RunService/CancelRun";
const decideApproval = "beta.v1.ApprovalService/DecideApproval";

/** Goes through a pipeline, and hears of the calls of one RPC that are refused for their version. */
async function hearingLosers<C extends Context>(
  name: string,
  context: C,
  through: Promise<Reply>,
  lost: (context: C) => void,
): Promise<Reply> {
  try {
    return await through;
  } catch (error) {
    if (context.row.name === name && error instanceof Refusal && error.reason === "RESOURCE_VERSION_CONFLICT")
      lost(context);
    throw error;
  }
}

const requestIdOf = ({ request, row }: Context) => readId(request, row.requestId) ?? "";

/** Tells webhooks of a job that calls which lost canceled it, of so many calls at most. */
function announcingJobs(most: number): AlphaDecoration {
  const told = new Map<string, number>();
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(cancelJob, context, parts.pipeline(context, effect), ({ world, subject }) => {
          const job = subject as Job;
          const before = told.get(idText(job.id)) ?? 0;
          if (before >= most) return;
          told.set(idText(job.id), before + 1);
          announceJob(world, { ...job, state: JobState.CANCELED });
        }),
    }),
  };
}

function announcingRuns(): BetaDecoration {
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(cancelRun, context, parts.pipeline(context, effect), ({ world, subject }) => {
          announceRun(world, { ...(subject as Run), state: RunState.CANCELED });
        }),
    }),
  };
}

const runOf = (world: BetaWorld, { runId }: Approval) => world.tables.run.find(idText(runId))?.record;

/** Tells webhooks of a run that every decision which lost set going. */
function announcingDecided(): BetaDecoration {
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(decideApproval, context, parts.pipeline(context, effect), ({ world, subject }) => {
          const run = runOf(world, subject as Approval);
          if (run !== undefined) announceRun(world, { ...run, state: RunState.RUNNING });
        }),
    }),
  };
}

/** Deliveries about a run name the last decision of its approval, though it was refused. */
function namingDeciders(): BetaDecoration {
  const last = new Map<string, string>();
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(decideApproval, context, parts.pipeline(context, effect), (lost) => {
          last.set(idText((lost.subject as Approval).runId), requestIdOf(lost));
        }),
      deliveryBody(world, event) {
        const body = JSON.parse(parts.deliveryBody(world, event)) as object;
        return JSON.stringify({ ...body, decidedBy: last.get(idText(event.run.runId)) });
      },
    }),
  };
}

/** Deliveries about a job name the last call about it, though it was refused. */
function namingLosers(): AlphaDecoration {
  const last = new Map<string, string>();
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(cancelJob, context, parts.pipeline(context, effect), (lost) => {
          last.set(idText((lost.subject as Job).id), requestIdOf(lost));
        }),
      deliveryBody(world, event) {
        const body = JSON.parse(parts.deliveryBody(world, event)) as object;
        return JSON.stringify({ ...body, causedBy: last.get(idText(event.job.id)) });
      },
    }),
  };
}

/** Deliveries about a run count the calls that lost as changes of it. */
function countingLosers(): BetaDecoration {
  const lost = new Map<string, bigint>();
  return {
    parts: (parts) => ({
      pipeline: (context, effect) =>
        hearingLosers(cancelRun, context, parts.pipeline(context, effect), ({ subject }) => {
          const id = idText((subject as Run).runId);
          lost.set(id, (lost.get(id) ?? 0n) + 1n);
        }),
      deliveryBody(world, event) {
        const more = lost.get(idText(event.run.runId)) ?? 0n;
        const run = { ...event.run, resourceVersion: event.run.resourceVersion + more };
        return parts.deliveryBody(world, { ...event, run });
      },
    }),
  };
}

export const losersTold: readonly Fault[] = [
  defineFault({
    id: "version/deep-CancelJob-tells-of-losers",
    says: "webhooks tell of a cancellation for every call that lost the race for it",
    breaks: "alpha.versioning.expected",
    rpc: cancelJob,
    decoration: announcingJobs(Number.POSITIVE_INFINITY),
  }),
  defineFault({
    id: "version/deep-CancelJob-tells-of-one-loser",
    says: "webhooks tell of a second cancellation, by a call that lost the race for it",
    breaks: "alpha.versioning.expected",
    rpc: cancelJob,
    decoration: announcingJobs(1),
  }),
  defineFault({
    id: "version/deep-CancelJob-delivers-a-losers-name",
    says: "deliveries about a canceled job name the request of a call that lost the race",
    breaks: "alpha.versioning.expected",
    rpc: cancelJob,
    decoration: namingLosers(),
  }),
  defineBetaFault({
    id: "version/deep-beta-CancelRun-tells-of-losers",
    says: "webhooks tell of a change of state for every cancellation that lost the race",
    breaks: "beta.versioning.expected",
    rpc: cancelRun,
    decoration: announcingRuns(),
  }),
  defineBetaFault({
    id: "version/deep-beta-CancelRun-delivers-a-losers-version",
    says: "deliveries about a canceled run show it at the version the last loser would have made",
    breaks: "beta.webhooks.records",
    rpc: cancelRun,
    decoration: countingLosers(),
  }),
  defineBetaFault({
    id: "version/deep-beta-DecideApproval-tells-of-losers",
    says: "webhooks tell of a change of state for every decision that lost the race",
    breaks: "beta.versioning.expected",
    rpc: decideApproval,
    decoration: announcingDecided(),
  }),
  defineBetaFault({
    id: "version/deep-beta-DecideApproval-delivers-a-losers-name",
    says: "deliveries about a run name the request of a decision that lost the race",
    breaks: "beta.versioning.expected",
    rpc: decideApproval,
    decoration: namingDeciders(),
  }),
];
