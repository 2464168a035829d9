import type { JsonObject } from "@bufbuild/protobuf";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { createEventLog } from "../../reference/core/event-log.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext } from "../../reference/main.ts";
import { isObject } from "../json.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How long the end of a run is waited for within the call that creates it, and from look to look, in milliseconds. */
const [soonMs, stepMs] = [200, 10];

const withoutJob = ({ jobId: _, ...run }: JsonObject): JsonObject => run;

/** Runs, their events and their text. */
export const runVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "runs-without-stages",
    says: "shows of a run only the states it must wait in, and its end",
    open: ["beta.open.transitions"],
    decoration: { choices: { runStates: "waiting" } },
  }),
  defineBetaVariant({
    id: "instant-runs",
    says: "ends most runs before anybody can look",
    open: ["beta.open.apps", "beta.open.transitions"],
    // What is said before anybody can listen must be kept, or nobody hears it: said to be as usual, too.
    decoration: { choices: { runStageMs: [0, 0], textPauseMs: 0, textReplay: 64 } },
  }),
  defineBetaVariant({
    id: "slow-runs",
    says: "takes its time for every stage of a run",
    open: ["beta.open.apps"],
    decoration: { choices: { runStageMs: [40, 60], textPauseMs: 8 } },
  }),
  defineBetaVariant({
    id: "run-of-any-version",
    says: "runs any version of the app in a session",
    open: ["beta.open.required-fields"],
    decoration: { choices: { runVersion: "any" } },
  }),
  defineBetaVariant({
    id: "canceled-at-once",
    says: "cancels a run within the call",
    open: ["beta.open.transitions"],
    decoration: { choices: { cancellation: "at once" } },
  }),
  defineBetaVariant({
    id: "settling-runs-go-on",
    says: "refuses to cancel a run whose work is done",
    open: ["beta.open.transitions"],
    decoration: { choices: { cancelSettlingRun: "refuse" } },
  }),
  defineBetaVariant({
    id: "few-runs-at-once",
    says: "runs no more than 16 runs at once",
    open: ["beta.open.limits"],
    decoration: { choices: { maximumUnfinishedRuns: 16 } },
    target: (file) => ({ ...file, patience: { ...file.patience, busyMs: 12_000 } }),
  }),
  defineBetaVariant({
    id: "forgets-quietly",
    says: "does not warn of what a run was kept from remembering",
    open: ["beta.open.memory-warning"],
    decoration: { choices: { memoryWarnings: false } },
  }),
  defineBetaVariant({
    id: "runs-name-no-job",
    says: "shows no job in a run: who wants it finds it among the jobs",
    open: ["beta.open.field-constraints"],
    decoration: {
      reply(json) {
        const { run, runs } = json;
        if (isObject(run)) return { ...json, run: withoutJob(run) };
        return Array.isArray(runs)
          ? { ...json, runs: runs.map((one) => (isObject(one) ? withoutJob(one) : one)) }
          : json;
      },
    },
  }),
  defineBetaVariant({
    id: "text-by-character",
    says: "streams text character by character, with an empty piece at the end",
    open: ["beta.open.text-assembly"],
    decoration: { choices: { textPieces: "characters", textPauseMs: 0, textReplay: 64, finalText: "empty piece" } },
  }),
  defineBetaVariant({
    id: "text-at-once",
    says: "streams all text in one piece",
    open: ["beta.open.text-assembly"],
    decoration: { choices: { textPieces: "whole text" } },
  }),
  defineBetaVariant({
    id: "no-text-history",
    says: "keeps no text for those who come later",
    open: ["beta.open.text-history"],
    // It speaks slowly enough to be heard by who listens as soon as the run is made, over any wire.
    decoration: { choices: { runStageMs: [60, 80], textReplay: 0, textPauseMs: 40 } },
  }),
  defineBetaVariant({
    id: "no-text-history-and-few-calls",
    says: "keeps no text for those who come later, and takes a hundred calls a second",
    open: ["beta.open.text-history", "beta.open.error-codes"],
    decoration: {
      choices: { runStageMs: [60, 80], textReplay: 0, textPauseMs: 40, rateLimit: { calls: 100, windowMs: 1000 } },
    },
    target: (file) => ({ ...file, patience: { ...file.patience, busyMs: 12_000 } }),
    // Who asked for a run's text too late was refused for the rate, and told to come back in a second.
    permits: ["not-exercised"],
  }),
  defineBetaVariant({
    id: "little-text-history",
    says: "keeps the last three pieces of text for those who come later",
    open: ["beta.open.text-history"],
    decoration: { choices: { textReplay: 3 } },
  }),
  defineBetaVariant({
    id: "text-of-slow-runs-only",
    says: "keeps no text, and answers the creation of a run once it has ended, if that is soon",
    open: ["beta.open.text-history", "beta.open.transitions"],
    decoration: {
      choices: { textReplay: 0 },
      handlers: aroundBeta(RunService.method.createRun, (next) => async (context, request) => {
        const made = await next(context, request);
        const { world } = context as BetaContext;
        const id = idText(made.run?.runId);
        for (let waited = 0; waited < soonMs; waited += stepMs) {
          await world.clock.pause(stepMs);
          const now = world.tables.run.find(id)?.record;
          if (now === undefined || isTerminal(now)) break;
        }
        return { ...made, run: world.tables.run.find(id)?.record };
      }),
    },
  }),
  defineBetaVariant({
    id: "sequences-beyond-doubles",
    says: "numbers events by hundreds, from beyond what a double holds exactly",
    open: ["beta.open.transitions"],
    decoration: {
      parts: ({ stateEvent, textEvent }) => {
        const far = <T extends { sequence: bigint }>(event: T) =>
          Object.assign(event, { sequence: 2n ** 53n + 1n + event.sequence * 100n });
        return {
          stateEvent: (world, run) => far(stateEvent(world, run)),
          textEvent: (world, run, delta, final) => far(textEvent(world, run, delta, final)),
        };
      },
    },
  }),
  defineBetaVariant({
    id: "streams-of-one-message",
    says: "ends a stream after each message, to be resumed",
    open: ["beta.open.watch-end"],
    decoration: {
      parts: ({ follow }) => ({
        async *follow(context, log, afterSequence) {
          for await (const event of follow(context, log, afterSequence)) {
            yield event;
            return;
          }
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "streams-of-what-is-there",
    says: "streams what there is by now and ends",
    open: ["beta.open.watch-end"],
    decoration: {
      // What ends at once must be able to say it again: said to be as usual, so that no other variant differs in it.
      choices: { textReplay: 64, watchEndsAtTerminal: true },
      parts: ({ follow }) => ({
        async *follow(context, log, afterSequence) {
          const now = createEventLog<ReturnType<typeof log.kept>[number]>();
          for (const event of log.kept()) now.append(event);
          now.close();
          yield* follow(context, now, afterSequence);
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "text-passed-over",
    says: "looks for text now and then, and sends the latest piece alone",
    open: ["beta.open.text-history", "beta.open.text-assembly"],
    decoration: {
      parts: ({ follow }) => ({
        async *follow(context, log, afterSequence) {
          if (context.row.method !== "StreamRunText") {
            yield* follow(context, log, afterSequence);
            return;
          }
          let shown = afterSequence;
          while (!context.signal.aborted) {
            const over = log.closed;
            const newest = log.kept().at(-1);
            if (newest !== undefined && newest.sequence > shown) {
              shown = newest.sequence;
              yield newest;
            }
            if (over) return;
            await context.world.clock.pause(25, context.signal);
          }
        },
      }),
    },
  }),
];
