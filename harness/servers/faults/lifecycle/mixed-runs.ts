import { create } from "@bufbuild/protobuf";
import {
  type Run,
  RunStateEventSchema,
  RunTextEventSchema,
  type UUIDv7,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { isTerminal, lifeOf } from "../../reference/beta/life.ts";
import { uuid } from "../../reference/beta/messages.ts";
import { cancelRun } from "../../reference/beta/worker.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const { cancelRun: cancel, getRun, getRunPayload, streamRunText, watchRun } = RunService.method;

/** The runs of a run's session, oldest first, itself among them. */
function runsBeside(world: BetaWorld, { sessionId }: Run): readonly Run[] {
  return [...world.lives.keys()]
    .map((id) => world.tables.run.get(id))
    .filter((run) => idText(run.sessionId) === idText(sessionId));
}

/** The runs of a run's session that go on, without itself. */
const liveBeside = (world: BetaWorld, run: Run) =>
  runsBeside(world, run).filter((other) => !isTerminal(other) && idText(other.runId) !== idText(run.runId));

/** The run that was begun last, or first, in the session of the run that is asked for. */
function standIn(context: BetaContext, which: "newest" | "oldest"): Run {
  const runs = runsBeside(context.world, context.subject as Run);
  return (which === "newest" ? runs.at(-1) : runs[0]) ?? (context.subject as Run);
}

/** A run as another of its session: what it has come to, and not whose it is. */
function shown(own: Run, { state, error, settledCustomerCost }: Run): Run {
  return { ...own, state, error, settledCustomerCost } as Run;
}

const reading = (which: "newest" | "oldest"): BetaDecoration => ({
  handlers: aroundBeta(getRun, (next) => async (context, request) => {
    const reply = await next(context, request);
    return reply.run === undefined
      ? reply
      : { ...reply, run: shown(reply.run, standIn(context as BetaContext, which)) };
  }),
});

const payloadOf = (which: "newest" | "oldest"): BetaDecoration => ({
  handlers: aroundBeta(
    getRunPayload,
    (next) => (context, request) =>
      next({ ...context, subject: standIn(context as BetaContext, which) } as typeof context, request),
  ),
});

/** The tool calls of all runs of the session, as a join by the session has it. */
const callsOfAll: BetaDecoration = {
  handlers: aroundBeta(getRunPayload, (next) => async (context, request) => {
    const { world, subject } = context as BetaContext;
    const reply = await next(context, request);
    const others = runsBeside(world, subject as Run).filter(({ runId }) => idText(runId) !== idText(request.runId));
    for (const other of others) {
      const { payload } = await next({ ...context, subject: other } as typeof context, request);
      reply.payload?.toolCalls?.push(...((payload?.toolCalls ?? []) as never[]));
    }
    return reply;
  }),
};

/** The events of another run of the session, under the name of the run asked for. */
const watching = (which: "newest" | "oldest"): BetaDecoration => ({
  handlers: aroundBeta(
    watchRun,
    (next) =>
      async function* (context, request) {
        const { runId } = request;
        const other = standIn(context as BetaContext, which);
        for await (const message of next({ ...context, subject: other } as typeof context, request))
          yield message.event === undefined
            ? message
            : { ...message, event: { ...message.event, runId } as typeof message.event };
      },
  ),
});

/** The text of another run of the session, whose events have ids of their own in it. */
function streaming(which: "newest" | "oldest"): BetaDecoration {
  const ids = new Map<string, UUIDv7>();
  return {
    handlers: aroundBeta(
      streamRunText,
      (next) =>
        async function* (context, request) {
          const { world } = context as BetaContext;
          const { runId } = request;
          const other = standIn(context as BetaContext, which);
          for await (const message of next({ ...context, subject: other } as typeof context, request)) {
            const { event } = message;
            if (event === undefined) continue;
            const key = `${idText(runId)} ${idText(event.eventId)}`;
            const eventId = ids.get(key) ?? uuid(world.newId());
            ids.set(key, eventId);
            yield { ...message, event: { ...event, runId, eventId } as typeof event };
          }
        },
    ),
  };
}

/** What happens in a run is told to the others of its session that go on, too. */
const broadcastStates: BetaDecoration = {
  parts: ({ stateEvent }) => ({
    stateEvent(world, run) {
      const event = stateEvent(world, run);
      for (const other of liveBeside(world, run)) {
        const { states } = lifeOf(world, other);
        const { runId } = other;
        states.append(
          create(RunStateEventSchema, { ...event, runId, sequence: states.next(), eventId: uuid(world.newId()) }),
        );
      }
      return event;
    },
  }),
};

const broadcastTexts: BetaDecoration = {
  parts: ({ textEvent }) => ({
    textEvent(world, run, delta, final) {
      const event = textEvent(world, run, delta, final);
      for (const other of liveBeside(world, run)) {
        const { texts } = lifeOf(world, other);
        const { runId } = other;
        texts.append(
          create(RunTextEventSchema, {
            ...event,
            final: false,
            runId,
            sequence: texts.next(),
            eventId: uuid(world.newId()),
          }),
        );
      }
      return event;
    },
  }),
};

/** A cancellation cancels all runs of its session that go on, or only the one begun last. */
const cancelingAll: BetaDecoration = {
  handlers: aroundBeta(cancel, (next) => async (context, request) => {
    const { world, subject } = context as BetaContext;
    const others = liveBeside(world, subject as Run);
    const reply = await next(context, request);
    for (const other of others) cancelRun(world, other);
    return reply;
  }),
};

const cancelingNewest: BetaDecoration = {
  handlers: aroundBeta(cancel, (next) => async (context, request) => {
    const { world, subject } = context as BetaContext;
    const newest = liveBeside(world, subject as Run).at(-1);
    if (newest === undefined) return next(context, request);
    const own = world.tables.run.change(idText(request.runId), {});
    return { ...(await next({ ...context, subject: newest } as typeof context, request)), run: own };
  }),
};

export const mixedRuns: readonly Fault[] = [
  ...faultsOf("lifecycle", "beta.v1", {
    "*.runs.own": {
      "GetRun-state-of-its-sessions-newest": [
        "shows what the newest run of the session has come to",
        reading("newest"),
      ],
      "GetRun-state-of-its-sessions-oldest": [
        "shows what the oldest run of the session has come to",
        reading("oldest"),
      ],
      "GetRunPayload-calls-of-its-session": ["shows the tool calls of every run of the session", callsOfAll],
      "CancelRun-cancels-its-sessions-runs": ["cancels every run of the session", cancelingAll],
      "CancelRun-cancels-its-sessions-newest": [
        "cancels another run of the session that goes on instead",
        cancelingNewest,
      ],
    },
    "*.runs.payload": {
      "GetRunPayload-of-its-sessions-newest": [
        "shows the payload of the newest run of the session",
        payloadOf("newest"),
      ],
      "GetRunPayload-of-its-sessions-oldest": [
        "shows the payload of the oldest run of the session",
        payloadOf("oldest"),
      ],
    },
  }),
  ...faultsOf("stream", "beta.v1", {
    "*.watch.current": {
      "WatchRun-events-of-its-sessions-newest": [
        "shows the events of the newest run of the session",
        watching("newest"),
        { also: ["*.watch.no-loss"] },
      ],
      "WatchRun-events-of-its-sessions-oldest": [
        "shows the events of the oldest run of the session",
        watching("oldest"),
        { also: ["*.watch.no-loss"] },
      ],
      "WatchRun-events-of-its-session": ["shows the events of every run of the session that goes on", broadcastStates],
    },
    "*.runs.own": {
      "StreamRunText-text-of-its-sessions-newest": [
        "shows the text of the newest run of the session",
        streaming("newest"),
      ],
      "StreamRunText-text-of-its-sessions-oldest": [
        "shows the text of the oldest run of the session",
        streaming("oldest"),
      ],
      "StreamRunText-text-of-its-session": ["shows the text of every run of the session that goes on", broadcastTexts],
    },
  }),
];
