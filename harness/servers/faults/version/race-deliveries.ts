import type { Job } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { type Approval, type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { announceJob } from "../../reference/alpha/events.ts";
import { announceRun } from "../../reference/beta/events.ts";
import type { Context } from "../../reference/core/context.ts";
import { idText, readId } from "../../reference/core/fields.ts";
import type { AlphaDecoration, AlphaWorld, BetaDecoration, BetaWorld } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { onConflict } from "./conflicts.ts";

const cancelJob = rpc("alpha.v1.JobService/CancelJob");
const cancelRun = rpc("beta.v1.RunService/CancelRun");
const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

const requestIdOf = ({ request, row }: Context) => readId(request, row.requestId) ?? "";

/** Tells webhooks of a job that calls which lost the race canceled it, of so many calls at most. */
function announcingJobs(max: number): AlphaDecoration {
  const told = new Map<string, number>();
  return onConflict(({ world, subject }) => {
    const job = subject as Job;
    const before = told.get(idText(job.id)) ?? 0;
    if (before >= max) return;
    told.set(idText(job.id), before + 1);
    announceJob(world as AlphaWorld, { ...job, state: JobState.CANCELED });
  })(cancelJob);
}

/** Tells webhooks that every cancellation which lost the race canceled the run. */
const announcingRuns = onConflict(({ world, subject }) => {
  announceRun(world as BetaWorld, { ...(subject as Run), state: RunState.CANCELED });
});

/** Tells webhooks of a run that every decision which lost the race let it go on. */
const announcingDecided = onConflict((context) => {
  const world = context.world as BetaWorld;
  const run = world.tables.run.find(idText((context.subject as Approval).runId))?.record;
  if (run !== undefined) announceRun(world, { ...run, state: RunState.RUNNING });
});

/** Deliveries about a run name the last decision of its approval, though it was refused. */
function namingDecisions(): BetaDecoration {
  const last = new Map<string, string>();
  const noting = onConflict((lost) => last.set(idText((lost.subject as Approval).runId), requestIdOf(lost)));
  const { parts: notingParts } = noting(decideApproval);
  return {
    parts: (parts) => ({
      ...notingParts?.(parts),
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
  const { parts: notingParts } = onConflict((lost) => last.set(idText((lost.subject as Job).id), requestIdOf(lost)))(
    cancelJob,
  );
  return {
    parts: (parts) => ({
      ...notingParts?.(parts),
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
  const { parts: notingParts } = onConflict(({ subject }) => {
    const id = idText((subject as Run).runId);
    lost.set(id, (lost.get(id) ?? 0n) + 1n);
  })(cancelRun);
  return {
    parts: (parts) => ({
      ...notingParts?.(parts),
      deliveryBody(world, event) {
        const more = lost.get(idText(event.run.runId)) ?? 0n;
        const run = { ...event.run, resourceVersion: event.run.resourceVersion + more };
        return parts.deliveryBody(world, { ...event, run });
      },
    }),
  };
}

/** Webhooks tell of calls that lost a race, as if they had won it. */
export const deliveriesOfLosers: readonly Fault[] = [
  ...faultsOf("version", "alpha.v1", {
    "*.versioning.expected": {
      "CancelJob-tells-of-losers": [
        "has webhooks tell of a cancellation for every call that lost the race for it",
        announcingJobs(Number.POSITIVE_INFINITY),
      ],
      "CancelJob-tells-of-one-loser": [
        "has webhooks tell of a second cancellation, by a call that lost the race for it",
        announcingJobs(1),
      ],
      "CancelJob-delivers-a-losers-name": [
        "has deliveries name the request of a call that lost the race",
        namingLosers(),
      ],
    },
  }),
  ...faultsOf("version", "beta.v1", {
    "*.versioning.expected": {
      "CancelRun-tells-of-losers": [
        "has webhooks tell of a change of state for every cancellation that lost the race",
        announcingRuns,
      ],
      "DecideApproval-tells-of-losers": [
        "has webhooks tell of a change of state for every decision that lost the race",
        announcingDecided,
      ],
      "DecideApproval-delivers-a-losers-name": [
        "has deliveries name the request of a decision that lost the race",
        namingDecisions(),
      ],
    },
    "*.webhooks.records": {
      "CancelRun-delivers-a-losers-version": [
        "has deliveries show the run at the version the last loser would have made",
        countingLosers(),
      ],
    },
  }),
];
