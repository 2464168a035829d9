import type { Context, World } from "./context.ts";
import { createInbox, patienceWithoutEnd } from "./inbox.ts";

/** An event with its place in its log. */
export interface Numbered {
  readonly sequence: bigint;
}

/** What happens to one thing, in order. Sequences are 1, 2, 3, ... */
export interface EventLog<T extends Numbered> {
  /** The sequence the next event gets. */
  next(): bigint;
  /** Adds the next event and tells those who follow. */
  append(event: T): void;
  /** Nothing will be added any more. */
  close(): void;
  readonly closed: boolean;
  /** The events still kept, oldest first. */
  kept(): readonly T[];
  /** Hears of each event, and of the end as undefined, until the returned function is called. */
  listen(listener: (event: T | undefined) => void): () => void;
}

/** An empty log that keeps its last `most` events for those who come later. */
export function createEventLog<T extends Numbered>(most = Number.POSITIVE_INFINITY): EventLog<T> {
  const listeners = new Set<(event: T | undefined) => void>();
  const events: T[] = [];
  let appended = 0n;
  let closed = false;
  return {
    next: () => appended + 1n,
    append(event) {
      appended++;
      events.push(event);
      if (events.length > most) events.shift();
      for (const listener of [...listeners]) listener(event);
    },
    close() {
      if (closed) return;
      closed = true;
      for (const listener of [...listeners]) listener(undefined);
    },
    get closed() {
      return closed;
    },
    kept: () => [...events],
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The kept events after `afterSequence`, then each new one. Ends with the log, if the choice is so, and when the caller leaves. */
export async function* followLog<T extends Numbered>(
  context: Context<World>,
  log: EventLog<T>,
  afterSequence: bigint,
): AsyncIterable<T> {
  const { choices, clock } = context.world;
  const inbox = createInbox<T | undefined>(clock);
  const stop = log.listen(inbox.put);
  try {
    const ended = log.closed;
    for (const event of log.kept()) if (event.sequence > afterSequence) yield event;
    if (ended && choices.watchEndsAtTerminal) return;
    while (!context.signal.aborted) {
      const taken = await inbox.take(patienceWithoutEnd, context.signal);
      if (taken === undefined) continue;
      if (taken.news !== undefined) {
        if (taken.news.sequence > afterSequence) yield taken.news;
      } else if (choices.watchEndsAtTerminal) return;
    }
  } finally {
    stop();
  }
}
