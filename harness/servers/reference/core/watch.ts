import type { Message } from "@bufbuild/protobuf";
import type { Context } from "./context.ts";
import { createInbox, patienceWithoutEnd } from "./inbox.ts";
import type { WatchSource } from "./parts.ts";
import { versionOf } from "./subject.ts";

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
  const inbox = createInbox<T | undefined>(clock);
  const stop = table.watch(id, inbox.put);
  try {
    const current = table.find(id)?.record;
    if (current === undefined) return;
    const version = versionOf(current);
    if (version > afterVersion || (version === afterVersion && choices.watchResendsSnapshot)) yield current;
    else if (choices.heartbeatAtStart && choices.heartbeatMs > 0) yield "heartbeat";
    if (choices.watchEndsAtTerminal && source.isTerminal(current)) return;

    while (!context.signal.aborted) {
      const taken = await inbox.take(
        choices.heartbeatMs > 0 ? choices.heartbeatMs : patienceWithoutEnd,
        context.signal,
      );
      if (context.signal.aborted) return;
      if (taken === undefined) yield "heartbeat";
      else if (taken.news === undefined) return;
      else if (versionOf(taken.news) > afterVersion) {
        yield taken.news;
        if (choices.watchEndsAtTerminal && source.isTerminal(taken.news)) return;
      }
    }
  } finally {
    stop();
  }
}
