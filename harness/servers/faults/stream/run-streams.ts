import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import { defineBetaFault, type Fault } from "../fault.ts";
import { type Rewrite, rewriting } from "../rewriting.ts";

const watch = "beta.v1.RunService/WatchRun";
const text = "beta.v1.RunService/StreamRunText";
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

const eventOf = (message: JsonObject): JsonObject => (message.event ?? {}) as JsonObject;
const isEnd = (message: JsonObject) =>
  /_(SUCCEEDED|FAILED|CANCELED|OUTCOME_UNKNOWN)$/.test(String(eventOf(message).state));
const afterOf = ({ request }: Call) => BigInt(String(request.afterSequence ?? "0") || "0");
const isResumed = (call: Call) => afterOf(call) > 0n;

/** Each event with some of its fields otherwise. */
function changing(change: (event: JsonObject, call: Call) => JsonObject): Rewrite {
  return (call) => (message) => [{ event: change(eventOf(message), call) }];
}

function without(event: JsonObject, field: string): JsonObject {
  const { [field]: _, ...others } = event;
  return others;
}

function less(value: JsonValue | undefined, by: bigint): string {
  const number = BigInt(String(value ?? "0"));
  return String(number > by ? number - by : 0n);
}

/** Counts the streams of each run, over calls. */
function countingStreams(): (call: Call) => number {
  const counts = new Map<string, number>();
  return (call) => {
    const id = JSON.stringify(call.request.runId ?? null);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count;
  };
}

/** Events that every second stream of a run sends otherwise. */
function differing(change: (event: JsonObject) => JsonObject): Rewrite {
  const count = countingStreams();
  return (call) => {
    const second = count(call) % 2 === 0;
    return (message) => [second ? { event: change(eventOf(message)) } : message];
  };
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

type Row = readonly [id: string, breaks: string, says: string, rewrite: Rewrite];

const ofBoth: readonly Row[] = [
  ["no-event", "watch.shape", "sends an empty message before each event", () => (message) => [{}, message]],
  ["bare-event", "watch.shape", "sends events that are not held in a message", () => (message) => [eventOf(message)]],
  ["another-run", "watch.subject", "names another run", changing((event) => ({ ...event, runId: noId }))],
  ["unnumbered", "stream.sequence", "leaves the sequence out", changing((event) => without(event, "sequence"))],
  ["sent-twice", "stream.sequence", "sends every event twice", () => (message) => [message, message]],
  [
    "counted-down",
    "stream.sequence",
    "counts down",
    changing((event) => ({ ...event, sequence: String(10_000n - BigInt(String(event.sequence))) })),
  ],
  ["undated", "records.filled", "leaves occurredAt out", changing((event) => without(event, "occurredAt"))],
  ["without-event-id", "records.filled", "leaves eventId out", changing((event) => without(event, "eventId"))],
  ["without-run-id", "records.filled", "leaves runId out", changing((event) => without(event, "runId"))],
  ["one-event-id", "wire.uuid-unique", "gives every event one id", changing((event) => ({ ...event, eventId: noId }))],
  [
    "other-event-ids",
    "watch.same-event",
    "gives an event another id for every second client",
    differing((event) => ({
      ...event,
      eventId: { value: `01890a5d-ac96-774b-bcce-${String(event.sequence).padStart(12, "0")}` },
    })),
  ],
  [
    "other-times",
    "watch.same-event",
    "dates an event anew for every second client",
    differing((event) => ({ ...event, occurredAt: "2026-01-01T00:00:00Z" })),
  ],
];

const ofWatch: readonly Row[] = [
  ["resends", "watch.not-older", "sends the event resumed from again", resending],
  [
    "ignores-after",
    "watch.not-older",
    "begins resumed streams two events early",
    changing((event, call) => (isResumed(call) ? { ...event, sequence: less(event.sequence, 2n) } : event)),
  ],
  [
    "versions-go-back",
    "watch.order",
    "ends with an earlier version of the run",
    () => (message) => [isEnd(message) ? { event: { ...eventOf(message), runResourceVersion: "1" } } : message],
  ],
  ["end-lost", "watch.no-loss", "never shows the end of a run", () => (message) => (isEnd(message) ? [] : [message])],
  [
    "end-lost-on-resume",
    "watch.no-loss",
    "does not show resumed watches how the run ended",
    (call) => (message) => (isResumed(call) && isEnd(message) ? [] : [message]),
  ],
  [
    "first-lost-on-resume",
    "watch.no-loss",
    "leaves out the first event after the one resumed from",
    (call) => {
      let first = isResumed(call);
      return (message) => {
        const lost = first && !isEnd(message);
        first = false;
        return lost ? [] : [message];
      };
    },
  ],
  [
    "wrong-end",
    "watch.current",
    "shows failed runs as of unknown outcome",
    changing((event) =>
      event.state === "RUN_STATE_FAILED" ? { ...event, state: "RUN_STATE_OUTCOME_UNKNOWN" } : event,
    ),
  ],
  [
    "canceled-as-failed",
    "watch.current",
    "shows canceled runs as succeeded",
    changing((event) => (event.state === "RUN_STATE_CANCELED" ? { ...event, state: "RUN_STATE_SUCCEEDED" } : event)),
  ],
  [
    "awaiting-as-running",
    "watch.current",
    "shows a run that awaits approval as running",
    changing((event) =>
      event.state === "RUN_STATE_AWAITING_APPROVAL" ? { ...event, state: "RUN_STATE_RUNNING" } : event,
    ),
  ],
  [
    "another-error",
    "watch.current",
    "gives another reason than the run's",
    changing((event) => (event.error === undefined ? event : { ...event, error: { reason: "ERROR_REASON_INTERNAL" } })),
  ],
  [
    "failed-without-error",
    "errors.run",
    "leaves the error of a failed run out",
    changing((event) => without(event, "error")),
  ],
  [
    "error-on-success",
    "errors.run",
    "gives runs that succeeded an error",
    changing((event) =>
      event.state === "RUN_STATE_SUCCEEDED" ? { ...event, error: { reason: "ERROR_REASON_INTERNAL" } } : event,
    ),
  ],
  ["stateless", "enums.specified", "leaves the state out", changing((event) => without(event, "state"))],
  [
    "states-differ",
    "watch.same-event",
    "shows running to every second watcher as queued",
    differing((event) => (event.state === "RUN_STATE_RUNNING" ? { ...event, state: "RUN_STATE_QUEUED" } : event)),
  ],
];

const ofText: readonly Row[] = [
  ["resends", "text.after", "sends the event resumed from again", resending],
  [
    "ignores-after",
    "text.after",
    "begins resumed streams two events early",
    changing((event, call) => (isResumed(call) ? { ...event, sequence: less(event.sequence, 2n) } : event)),
  ],
  [
    "goes-on-after-final",
    "text.final",
    "sends more text after the final event",
    () => (message) => {
      const event = eventOf(message);
      if (event.final !== true) return [message];
      return [
        message,
        { event: { ...without(event, "final"), sequence: String(BigInt(String(event.sequence)) + 1n) } },
      ];
    },
  ],
  ["all-final", "text.final", "marks every event final", changing((event) => ({ ...event, final: true }))],
  [
    "texts-differ",
    "watch.same-event",
    "sends every second client other text",
    differing((event) => ({ ...event, delta: String(event.delta).toUpperCase() })),
  ],
];

function faultsOf(rpc: string, area: string, rows: readonly Row[]): readonly Fault[] {
  return rows.map(([id, breaks, says, rewrite]) =>
    defineBetaFault({
      id: `stream/beta-${area}-${id}`,
      says: `${rpc.split("/")[1]} ${says}`,
      breaks: `beta.${breaks}`,
      rpc,
      decoration: rewriting(rpc, rewrite),
    }),
  );
}

export const betaRunStreamFaults: readonly Fault[] = [
  ...faultsOf(watch, "watch", [...ofBoth, ...ofWatch]),
  ...faultsOf(text, "text", [...ofBoth, ...ofText]),
];
