import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { idKey } from "../edit.ts";
import type { EitherDecoration, Fault, SharedDecoration } from "../fault.ts";
import { envelopeOf, isEndStream, jsonIn } from "../stream-messages.ts";
import { faultsAt } from "../table.ts";

/** The refusals of a cancellation that a stream shows as if it had been done. */
type Shown = (refusal: Refusal) => boolean;

/** What a stream shows: how requests name its subject, which member of a message shows it, and what cancels it. */
const watched = {
  WatchJob: { id: "jobId", member: "job", cancel: "alpha.v1.JobService/CancelJob" },
  WatchRun: { id: "runId", member: "event", cancel: "beta.v1.RunService/CancelRun" },
};

type Watched = (typeof watched)[keyof typeof watched];

/** The message with its subject canceled, at the version it has. */
function canceled(message: JsonObject, member: string): JsonObject {
  const shown = (message[member] ?? {}) as JsonObject;
  return { [member]: { ...shown, state: String(shown.state).replace(/_STATE_.*/, "_STATE_CANCELING") } };
}

/** Streams of `name` show a cancellation that was refused. */
function showingRefused(name: string, { id, member, cancel }: Watched, shows: Shown): EitherDecoration {
  const watchers = new Map<string, Set<() => void>>();
  async function* injecting(frames: AsyncIterable<Uint8Array>, call: Call): AsyncIterable<Uint8Array> {
    const iterator = frames[Symbol.asyncIterator]();
    const key = idKey(call.request[id]);
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
          if (last !== undefined) yield envelopeOf(canceled(last, member));
          continue;
        }
        if (news.done === true) return;
        if (!isEndStream(news.value) && jsonIn(news.value)[member] !== undefined) last = jsonIn(news.value);
        yield news.value;
        next = iterator.next();
      }
    } finally {
      own.delete(listener);
      await iterator.return?.();
    }
  }
  const decoration: SharedDecoration = {
    frames: (frames, call) => (call.rpc === name ? injecting(frames, call) : frames),
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (error) {
          if (context.row.name === cancel && error instanceof Refusal && shows(error)) {
            for (const wake of watchers.get(idKey(context.call.request[id])) ?? []) wake();
          }
          throw error;
        }
      },
    }),
  };
  return decoration as EitherDecoration;
}

const refusalsShown: readonly (readonly [what: string, says: string, shows: Shown])[] = [
  ["shows-refused-changes", "shows a cancellation that was refused", () => true],
  [
    "shows-stale-changes",
    "shows a cancellation that was refused for its version",
    ({ reason }) => reason === "RESOURCE_VERSION_CONFLICT",
  ],
  [
    "shows-unauthenticated-changes",
    "shows a cancellation that was refused for want of a credential",
    ({ reason }) => reason === "AUTHENTICATION_REQUIRED",
  ],
];

export const refusedChanges: readonly Fault[] = refusalsShown.flatMap(([what, says, shows]) =>
  faultsAt(["alpha.v1.JobService/WatchJob", "beta.v1.RunService/WatchRun"].map(rpc), {
    id: `stream/${what}`,
    says,
    breaks: "*.records.agree",
    // What never happened has no number of its own.
    entails: ["*.stream.sequence"],
    decorate: ({ name, method }) => showingRefused(name, watched[method as keyof typeof watched], shows),
  }),
);
