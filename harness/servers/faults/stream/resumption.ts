import type { JsonObject, Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { type Call, type Context, isStream, type Reply } from "../../reference/core/context.ts";
import { encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { createChance } from "../chance.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";
import { type Rewrite, rewriting } from "../rewriting.ts";

const watchJob = "alpha.v1.JobService/WatchJob";
const watchRun = "beta.v1.RunService/WatchRun";
const streamText = "beta.v1.RunService/StreamRunText";

function fault(name: string, what: string, says: string, clause: string, decoration: SharedDecoration): Fault {
  const row = rpc(name);
  return defineSharedFault({
    id: `stream/deep-${prefixOf(row)}${row.method}-${what}`,
    says: `${row.method} ${says}`,
    breaks: clauseFor(row, clause),
    rpc: name,
    decoration,
  });
}

/** Streams of one subject dropped before a leak is felt: fewer than one case drops. */
const enough = 24;

/** What happens to a call once too many streams of its subject were left behind. */
type Exhausted = (context: Context) => Reply | Promise<Reply>;

const hanging: Exhausted = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the caller left")), { once: true });
  });
const failing: Exhausted = () => refuse("INTERNAL", "no listener is left");

const subjectOf = ({ call }: Context) => JSON.stringify(call.request.jobId ?? call.request.runId ?? null);

/** Counts the streams that their callers dropped, by subject, and serves `exhausted` calls about it no more after a while. */
function leaking(name: string, of: readonly string[], exhausted: Exhausted): SharedDecoration {
  return {
    parts: (parts) => {
      const left = new Map<string, number>();
      async function* counted(messages: AsyncIterable<Message>, context: Context): AsyncIterable<Message> {
        let ended = false;
        try {
          yield* messages;
          ended = !context.signal.aborted;
        } finally {
          const subject = subjectOf(context);
          if (!ended) left.set(subject, (left.get(subject) ?? 0) + 1);
        }
      }
      return {
        async pipeline(context, effect) {
          if (of.includes(context.row.name) && (left.get(subjectOf(context)) ?? 0) >= enough) return exhausted(context);
          const reply = await parts.pipeline(context, effect);
          return context.row.name === name && isStream(reply) ? counted(reply, context) : reply;
        },
      };
    },
  };
}

export const leaks: readonly Fault[] = [
  ...[watchJob, watchRun, streamText].flatMap((name) => [
    fault(
      name,
      "hangs-after-many",
      `never answers after ${enough} streams were dropped`,
      "endpoints.served",
      leaking(name, [name], hanging),
    ),
    fault(
      name,
      "fails-after-many",
      `fails after ${enough} streams were dropped`,
      "endpoints.served",
      leaking(name, [name], failing),
    ),
  ]),
  fault(
    watchJob,
    "takes-reads-along",
    "leaves its job unreadable after many streams were dropped",
    "endpoints.served",
    leaking(watchJob, ["alpha.v1.JobService/GetJob"], failing),
  ),
];

/** Which refusals of a cancellation are told to who watches. */
type Tells = (refusal: Refusal) => boolean;

const idIn = (json: JsonObject, field: string) => JSON.stringify(json[field] ?? null).toLowerCase();
const messageIn = (frame: Uint8Array) => JSON.parse(Buffer.from(frame.subarray(5)).toString()) as JsonObject;

/** The message with its subject canceled, at the version it has. */
function canceled(message: JsonObject, member: string): JsonObject {
  const shown = (message[member] ?? {}) as JsonObject;
  return { [member]: { ...shown, state: String(shown.state).replace(/_STATE_.*/, "_STATE_CANCELING") } };
}

/** Shows a cancellation to who watches, though it was refused. */
function tellingRefused(name: string, cancel: string, id: string, member: string, tells: Tells): SharedDecoration {
  const watchers = new Map<string, Set<() => void>>();
  async function* injecting(frames: AsyncIterable<Uint8Array>, call: Call): AsyncIterable<Uint8Array> {
    const iterator = frames[Symbol.asyncIterator]();
    const key = idIn(call.request, id);
    const own = watchers.get(key) ?? new Set();
    watchers.set(key, own);
    let wake = () => {};
    const awaitRefusal = () => new Promise<"refused">((resolve) => (wake = () => resolve("refused")));
    let refusal = awaitRefusal();
    const listener = () => wake();
    own.add(listener);
    let last: JsonObject | undefined;
    try {
      for (let next = iterator.next(); ; ) {
        const news = await Promise.race([next, refusal]);
        if (news === "refused") {
          refusal = awaitRefusal();
          if (last !== undefined) yield encodeEnvelope(0, Buffer.from(JSON.stringify(canceled(last, member))));
          continue;
        }
        if (news.done === true) return;
        if (((news.value[0] ?? 0) & endStreamFlag) === 0 && messageIn(news.value)[member] !== undefined)
          last = messageIn(news.value);
        yield news.value;
        next = iterator.next();
      }
    } finally {
      own.delete(listener);
      await iterator.return?.();
    }
  }
  return {
    frames: (frames, call) => (call.rpc === name ? injecting(frames, call) : frames),
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (error) {
          if (context.row.name === cancel && error instanceof Refusal && tells(error)) {
            for (const tell of watchers.get(idIn(context.call.request, id)) ?? []) tell();
          }
          throw error;
        }
      },
    }),
  };
}

const tellings: readonly (readonly [what: string, says: string, tells: Tells])[] = [
  ["shows-refused-changes", "shows a cancellation that was refused", () => true],
  [
    "shows-stale-changes",
    "shows a cancellation that was refused for its version",
    ({ reason }) => reason === "RESOURCE_VERSION_CONFLICT",
  ],
  [
    "shows-strangers-changes",
    "shows a cancellation by a caller who is nobody",
    ({ reason }) => reason === "AUTHENTICATION_REQUIRED",
  ],
];

export const refusedChanges: readonly Fault[] = tellings.flatMap(([what, says, tells]) => [
  fault(
    watchJob,
    what,
    says,
    "records.agree",
    tellingRefused(watchJob, "alpha.v1.JobService/CancelJob", "jobId", "job", tells),
  ),
  fault(
    watchRun,
    what,
    says,
    "records.agree",
    tellingRefused(watchRun, "beta.v1.RunService/CancelRun", "runId", "event", tells),
  ),
]);

const eventOf = (message: JsonObject): JsonObject => (message.event ?? {}) as JsonObject;
const isEnd = (message: JsonObject) =>
  /_(SUCCEEDED|FAILED|CANCELED|OUTCOME_UNKNOWN)$/.test(String(eventOf(message).state));
const isResumed = ({ request }: Call) => BigInt(String(request.afterSequence ?? "0") || "0") > 0n;

/** Of a resumed stream, now and then, something other than the message that is due. */
function slipping(instead: (message: JsonObject) => readonly JsonObject[]): Rewrite {
  const slips = createChance(0.05);
  return (call) => (message) => (isResumed(call) && !isEnd(message) && slips() ? instead(message) : [message]);
}

export const slipsAtReconnect: readonly Fault[] = [
  fault(
    watchRun,
    "loses-events-at-times",
    "loses one event in twenty of a resumed watch",
    "watch.no-loss",
    rewriting(
      watchRun,
      slipping(() => []),
    ),
  ),
  fault(
    watchRun,
    "changes-events-at-times",
    "shows one event in twenty of a resumed watch in another state",
    "watch.same-event",
    rewriting(
      watchRun,
      slipping((message) => [{ event: { ...eventOf(message), state: "RUN_STATE_QUEUED" } }]),
    ),
  ),
  fault(
    watchRun,
    "renews-events-at-times",
    "gives one event in twenty of a resumed watch another id",
    "watch.same-event",
    rewriting(
      watchRun,
      slipping((message) => [
        { event: { ...eventOf(message), eventId: { value: "01890a5d-ac96-774b-bcce-b302099a8057" } } },
      ]),
    ),
  ),
  fault(
    streamText,
    "changes-text-at-times",
    "sends one fragment in twenty of a resumed text with another ending",
    "watch.same-event",
    rewriting(
      streamText,
      slipping((message) => [{ event: { ...eventOf(message), delta: `${eventOf(message).delta}.` } }]),
    ),
  ),
];
