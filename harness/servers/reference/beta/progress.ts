import { create, fromJson } from "@bufbuild/protobuf";
import {
  type ErrorDetail,
  ErrorDetailSchema,
  type Run,
  type RunStateEvent,
  RunStateEventSchema,
  type RunTextEvent,
  RunTextEventSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { errorDetailJson } from "../core/errors.ts";
import { idText } from "../core/fields.ts";
import { Refusal } from "../core/refusal.ts";
import { timestamp } from "../core/times.ts";
import { announceRun } from "./events.ts";
import { isTerminal, lifeOf } from "./life.ts";
import { uuid } from "./messages.ts";
import type { Ending } from "./script.ts";
import type { BetaWorld, RunLife } from "./world.ts";

/** The event of the state a run is in now. */
export function stateEvent(world: BetaWorld, run: Run): RunStateEvent {
  return create(RunStateEventSchema, {
    eventId: uuid(world.newId()),
    runId: run.runId,
    sequence: lifeOf(world, run).states.next(),
    state: run.state,
    runResourceVersion: run.resourceVersion,
    error: run.error,
    occurredAt: timestamp(world.clock.now()),
  });
}

/** The event of a piece of a run's text. */
export function textEvent(world: BetaWorld, run: Run, delta: string, final: boolean): RunTextEvent {
  return create(RunTextEventSchema, {
    eventId: uuid(world.newId()),
    runId: run.runId,
    sequence: lifeOf(world, run).texts.next(),
    delta,
    final,
    occurredAt: timestamp(world.clock.now()),
  });
}

/** Says what a run has come to: its job follows, watchers and webhooks hear of it. */
export function publishRun(world: BetaWorld, run: Run): void {
  const life = lifeOf(world, run);
  const job = world.tables.job.get(idText(run.jobId));
  const ended = isTerminal(run);
  if (job.state !== run.state) {
    const completedAt = ended ? timestamp(world.clock.now()) : undefined;
    world.tables.job.change(idText(run.jobId), { state: run.state, completedAt });
  }
  life.states.append(world.parts.stateEvent(world, run));
  if (ended) {
    life.states.close();
    life.texts.close();
  }
  announceRun(world, run);
}

/** Changes a run, and all that shows it, in one go. */
export function moveRun(world: BetaWorld, runId: string, fields: Partial<Run>): Run {
  const run = world.tables.run.change(runId, fields);
  publishRun(world, run);
  return run;
}

/** The error a run ends with. */
export function runError(life: RunLife, { reason, message }: Extract<Ending, { as: "failed" }>): ErrorDetail {
  const { correlationId, requestId } = life.cause;
  return fromJson(ErrorDetailSchema, errorDetailJson(new Refusal(reason, message), correlationId, requestId));
}
