import type { OwnedClock } from "./clock.ts";

/** News for one reader: kept in order until they are taken. */
export interface Inbox<T> {
  put(news: T): void;
  /** Takes the oldest, waiting for it at most `patienceMs`. Undefined when none came, or `signal` was aborted. */
  take(patienceMs: number, signal: AbortSignal): Promise<{ readonly news: T } | undefined>;
}

/** The longest a timer waits, in milliseconds. */
export const patienceWithoutEnd = 2 ** 31 - 1;

export function createInbox<T>(clock: OwnedClock): Inbox<T> {
  const waiting: T[] = [];
  let wake = () => {};
  const oldest = () => (waiting.length === 0 ? undefined : { news: waiting.shift() as T });
  return {
    put(news) {
      waiting.push(news);
      wake();
    },
    async take(patienceMs, signal) {
      if (signal.aborted) return undefined;
      if (waiting.length === 0) {
        const woken = new AbortController();
        // A reason of its own: the usual one is an error with a stack, which takes long to make.
        wake = () => woken.abort("news");
        await clock.pause(patienceMs, AbortSignal.any([woken.signal, signal]));
        wake = () => {};
      }
      return signal.aborted ? undefined : oldest();
    },
  };
}
