import type { Message } from "@bufbuild/protobuf";
import type { Context } from "./context.ts";
import type { Table } from "./store.ts";
import { versionOf } from "./subject.ts";

/** What is watched, and from where. */
export interface WatchSource<T extends Message> {
  readonly table: Table<T>;
  readonly id: string;
  /** Nothing at or before this version is shown. */
  readonly afterVersion: bigint;
  /** Whether nothing more can happen to the record. */
  isTerminal(record: T): boolean;
}

/**
 * The record as it is, if it is newer than what the caller has, then each change, with heartbeats between. Ends when
 * the record is terminal or gone, and when the caller leaves.
 */
export async function* watch<T extends Message>(
  context: Context,
  source: WatchSource<T>,
): AsyncIterable<T | "heartbeat"> {
  const { choices, clock } = context.world;
  const { table, id, afterVersion } = source;
  const news: (T | undefined)[] = [];
  let wake = () => {};
  const stop = table.watch(id, (record) => {
    news.push(record);
    wake();
  });
  try {
    const current = table.find(id)?.record;
    if (current === undefined) return;
    const version = versionOf(current);
    if (version > afterVersion || (version === afterVersion && choices.watchResendsSnapshot)) yield current;
    else if (choices.heartbeatAtStart && choices.heartbeatMs > 0) yield "heartbeat";
    if (choices.watchEndsAtTerminal && source.isTerminal(current)) return;

    while (!context.signal.aborted) {
      if (news.length === 0) {
        const woken = new AbortController();
        wake = () => woken.abort();
        const patience = choices.heartbeatMs > 0 ? choices.heartbeatMs : 2 ** 31 - 1;
        await clock.pause(patience, AbortSignal.any([woken.signal, context.signal]));
        if (news.length === 0 && !context.signal.aborted) yield "heartbeat";
        continue;
      }
      const record = news.shift();
      if (record === undefined) return;
      if (versionOf(record) <= afterVersion) continue;
      yield record;
      if (choices.watchEndsAtTerminal && source.isTerminal(record)) return;
    }
  } finally {
    stop();
  }
}
