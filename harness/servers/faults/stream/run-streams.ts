import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { onMessages, type Rewrite } from "../stream-messages.ts";
import { faultsOf, inEach } from "../table.ts";
import { unknownId, without } from "../values.ts";
import { afterOf, countingStreams, eventOf, isEnd, isResumed } from "./events.ts";

/** Each event, with some of its fields otherwise. */
const changing = (change: (event: JsonObject, call: Call) => JsonObject) =>
  onMessages((call) => (message) => [{ event: change(eventOf(message), call) }]);

/** Events that every second stream of a run sends otherwise. */
function differing(change: (event: JsonObject) => JsonObject) {
  const count = countingStreams("runId");
  return onMessages((call) => {
    const second = count(call) % 2 === 0;
    return (message) => [second ? { event: change(eventOf(message)) } : message];
  });
}

/** The first event of a resumed stream comes with one before it that the caller has seen. */
const resending: Rewrite = (call) => {
  let begun = !isResumed(call);
  return (message) => {
    if (begun) return [message];
    begun = true;
    return [{ event: { ...eventOf(message), sequence: String(afterOf(call)) } }, message];
  };
};

/** Resumed streams number their events by two less. */
const beginningEarly = () =>
  changing((event, call) => {
    const sequence = BigInt(String(event.sequence ?? "0"));
    return isResumed(call) ? { ...event, sequence: String(sequence > 2n ? sequence - 2n : 0n) } : event;
  });

/** What was before is shown at once, what comes later to who comes again. Runs take their time, so that it comes later. */
const heldBack: BetaDecoration = {
  choices: { runStageMs: [150, 200] },
  parts: ({ follow }) => ({
    async *follow(context, log, afterSequence) {
      const begun = log.next();
      const isWatch = context.row.name === "beta.v1.RunService/WatchRun";
      for await (const event of follow(context, log, afterSequence)) {
        if (!isWatch || event.sequence < begun) yield event;
      }
    },
  }),
};

/** Runs in one state, shown in another. */
const showing = (from: string, to: string) =>
  changing((event) => (event.state === from ? { ...event, state: to } : event));

const internal = { reason: "ERROR_REASON_INTERNAL" };
const streams = { WatchRun: "event", StreamRunText: "event" };

export const runStreamFaults: readonly Fault[] = faultsOf("stream", "beta.v1", {
  "*.watch.shape": inEach(streams, () => ({
    "no-event": ["sends an empty message before each event", onMessages(() => (message) => [{}, message])],
    "bare-event": ["sends events that are not held in a message", onMessages(() => (message) => [eventOf(message)])],
  })),
  "*.watch.subject": inEach(streams, () => ({
    "another-run": ["names another run", changing((event) => ({ ...event, runId: unknownId }))],
  })),
  "*.stream.sequence": inEach(streams, () => ({
    unnumbered: ["leaves the sequence out", changing((event) => without(event, "sequence"))],
    "sent-twice": ["sends every event twice", onMessages(() => (message) => [message, message])],
    "counted-down": [
      "counts down",
      changing((event) => ({ ...event, sequence: String(10_000n - BigInt(String(event.sequence))) })),
    ],
  })),
  "*.records.filled": inEach(streams, () => ({
    undated: ["leaves occurredAt out", changing((event) => without(event, "occurredAt"))],
    "without-event-id": ["leaves eventId out", changing((event) => without(event, "eventId"))],
    "without-run-id": ["leaves runId out", changing((event) => without(event, "runId"))],
  })),
  "*.wire.uuid-unique": inEach(streams, () => ({
    "one-event-id": ["gives every event one id", changing((event) => ({ ...event, eventId: unknownId }))],
  })),
  "*.watch.same-event": {
    ...inEach(streams, () => ({
      "other-event-ids": [
        "gives an event another id for every second client",
        differing((event) => ({
          ...event,
          eventId: { value: `01890a5d-ac96-774b-bcce-${String(event.sequence).padStart(12, "0")}` },
        })),
      ],
      "other-times": [
        "dates an event anew for every second client",
        differing((event) => ({ ...event, occurredAt: "2026-01-01T00:00:00Z" })),
      ],
    })),
    "WatchRun-states-differ": [
      "shows running to every second watcher as queued",
      differing((event) => (event.state === "RUN_STATE_RUNNING" ? { ...event, state: "RUN_STATE_QUEUED" } : event)),
    ],
    "StreamRunText-texts-differ": [
      "sends every second client other text",
      differing((event) => ({ ...event, delta: String(event.delta).toUpperCase() })),
    ],
  },
  "*.watch.not-older": {
    "WatchRun-resends": ["sends the event resumed from again", onMessages(resending)],
    "WatchRun-ignores-after": ["begins resumed streams two events early", beginningEarly()],
  },
  "*.watch.order": {
    "WatchRun-versions-go-back": [
      "ends with an earlier version of the run",
      onMessages(() => (message) => [
        isEnd(message) ? { event: { ...eventOf(message), runResourceVersion: "1" } } : message,
      ]),
    ],
  },
  "*.watch.no-loss": {
    "WatchRun-held-back": ["shows a watch what was before it, and nothing while it is open", heldBack],
    "WatchRun-end-lost": [
      "never shows the end of a run",
      onMessages(() => (message) => (isEnd(message) ? [] : [message])),
    ],
    "WatchRun-end-lost-on-resume": [
      "does not show resumed watches how the run ended",
      onMessages((call) => (message) => (isResumed(call) && isEnd(message) ? [] : [message])),
    ],
  },
  "*.watch.current": {
    "WatchRun-wrong-end": [
      "shows failed runs as of unknown outcome",
      showing("RUN_STATE_FAILED", "RUN_STATE_OUTCOME_UNKNOWN"),
    ],
    "WatchRun-canceled-as-failed": [
      "shows canceled runs as succeeded",
      showing("RUN_STATE_CANCELED", "RUN_STATE_SUCCEEDED"),
    ],
    "WatchRun-awaiting-as-running": [
      "shows a run that awaits approval as running",
      showing("RUN_STATE_AWAITING_APPROVAL", "RUN_STATE_RUNNING"),
    ],
    "WatchRun-another-error": [
      "gives another reason than the run's",
      changing((event) => (event.error === undefined ? event : { ...event, error: internal })),
    ],
  },
  "*.errors.run": {
    "WatchRun-error-without-reason": [
      "leaves the reason of a failed run's error out",
      changing((event) => {
        const { error } = event;
        return error === undefined ? event : { ...event, error: without(error as JsonObject, "reason") };
      }),
    ],
    "WatchRun-error-on-success": [
      "gives runs that succeeded an error",
      changing((event) => (event.state === "RUN_STATE_SUCCEEDED" ? { ...event, error: internal } : event)),
      // A reading of the run shows none.
      { entails: ["*.watch.current"] },
    ],
  },
  "*.enums.specified": {
    "WatchRun-stateless": ["leaves the state out", changing((event) => without(event, "state"))],
  },
  "*.text.after": {
    "StreamRunText-resends": ["sends the event resumed from again", onMessages(resending)],
    "StreamRunText-ignores-after": ["begins resumed streams two events early", beginningEarly()],
  },
  "*.text.final": {
    "StreamRunText-goes-on-after-final": [
      "sends more text after the final event",
      onMessages(() => (message) => {
        const event = eventOf(message);
        if (event.final !== true) return [message];
        return [
          message,
          { event: { ...without(event, "final"), sequence: String(BigInt(String(event.sequence)) + 1n) } },
        ];
      }),
    ],
    "StreamRunText-all-final": ["marks every event final", changing((event) => ({ ...event, final: true }))],
  },
});
