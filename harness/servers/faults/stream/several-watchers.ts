import type { Message } from "@bufbuild/protobuf";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { WatchSource } from "../../reference/core/parts.ts";
import { versionOf } from "../../reference/core/subject.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

type AtRow = (row: RpcRow) => EitherDecoration;

/** Waits until a watcher leaves, or is told. */
function untilTold(signal: AbortSignal, wakes: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      wakes.delete(wake);
      resolve();
    };
    wakes.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

/** One watcher of a job at a time is shown anything: others wait until it has left, or for good. */
const oneAtATime = (isForGood: boolean) =>
  replacing((parts) => {
    const watched = new Map<string, Set<() => void>>();
    return {
      async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
        const waiting = watched.get(source.id);
        if (waiting !== undefined) await untilTold(context.signal, isForGood ? new Set() : waiting);
        if (context.signal.aborted) return;
        const own = new Set<() => void>();
        watched.set(source.id, own);
        try {
          yield* parts.watch(context, source);
        } finally {
          watched.delete(source.id);
          for (const wake of own) wake();
        }
      },
    };
  });

/** Changes are shown to who watches first: the others see how the job was as they began, and heartbeats. */
const firstAlone: AtRow = (row) => ({ choices: { jobStageMs: [150, 200] }, ...hidingChanges(row) });

const hidingChanges = replacing((parts) => {
  const watched = new Set<string>();
  return {
    async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
      const isFirst = !watched.has(source.id);
      watched.add(source.id);
      let isSnapshot = true;
      try {
        for await (const news of parts.watch(context, source)) {
          if (isFirst || isSnapshot || news === "heartbeat") yield news;
          isSnapshot = false;
        }
      } finally {
        if (isFirst) watched.delete(source.id);
      }
    },
  };
});

/** Watchers of a job take its changes from one queue, in turns: what one is shown, no other is. */
const inTurns: AtRow = (row) => ({ choices: { jobStageMs: [150, 200] }, ...takingTurns(row) });

const takingTurns = replacing((parts) => {
  const watching = new Map<string, symbol[]>();
  const taken = new Map<string, symbol | undefined>();
  return {
    async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
      const own = Symbol("watcher");
      const all = watching.get(source.id) ?? [];
      watching.set(source.id, [...all, own]);
      let isSnapshot = true;
      for await (const news of parts.watch(context, source)) {
        if (news === "heartbeat" || isSnapshot) {
          yield news;
          isSnapshot = false;
          continue;
        }
        const change = `${source.id} ${versionOf(news)}`;
        const watchers = watching.get(source.id) ?? [];
        if (!taken.has(change)) taken.set(change, watchers[taken.size % watchers.length]);
        if (taken.get(change) === own) yield news;
      }
      if (!context.signal.aborted) await untilTold(context.signal, new Set());
    },
  };
});

/** A stream has no more to say once its job is being canceled, and stays open. */
const deafInCancellation = replacing((parts) => ({
  async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
    for await (const news of parts.watch(context, source)) {
      if (news !== "heartbeat" && (news as Message as Job).state === JobState.CANCELED) break;
      yield news;
    }
    if (!context.signal.aborted && source.table.find(source.id) !== undefined)
      await untilTold(context.signal, new Set());
  },
}));

/** A stream that is opened while its job is being canceled shows that, and no more. */
const openedInCancellation: AtRow = (row) => ({ choices: { jobStageMs: [150, 200] }, ...hidingCancellation(row) });

const hidingCancellation = replacing((parts) => ({
  async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
    const begun = source.table.find(source.id)?.record as Message as Job | undefined;
    for await (const news of parts.watch(context, source)) {
      const isEnd = news !== "heartbeat" && (news as Message as Job).state === JobState.CANCELED;
      if (begun?.state === JobState.CANCELING && isEnd) {
        await untilTold(context.signal, new Set());
        return;
      }
      yield news;
    }
  },
}));

const silent = { also: ["connect.whole-reply"] };

export const severalWatchers: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.no-loss": {
    "WatchJob-one-watcher-at-a-time": [
      "shows a second watcher of a job nothing until the first has left",
      oneAtATime(false),
      silent,
    ],
    "WatchJob-one-watcher": ["shows a second watcher of a job nothing at all", oneAtATime(true), silent],
    "WatchJob-changes-to-the-first": ["shows changes to the first watcher of a job alone", firstAlone, silent],
    "WatchJob-changes-in-turns": ["shows each change to one of the watchers of a job", inTurns, silent],
    "WatchJob-deaf-in-cancellation": [
      "does not show an open watch that its job was canceled",
      deafInCancellation,
      silent,
    ],
    "WatchJob-opened-in-cancellation": [
      "does not show a watch that was opened while its job was being canceled how that ended",
      openedInCancellation,
      silent,
    ],
  },
});
