import type { OwnLag } from "./own-lag.ts";

/** Lateness of this thread that a deadline takes as it is, in milliseconds: it is never quite on time. */
const slackMs = 50;

/**
 * As `setTimeout`, but time in which this thread was too busy to look does not count: what came meanwhile is still unread, and
 * whoever is waited for is not to blame. It is granted `ms` once more at most, so that there is an end to it.
 *
 * @returns what takes the timeout back
 */
export function setFairTimeout(action: () => void, ms: number, lag: Pick<OwnLag, "totalMs">): () => void {
  let [known, granted] = [lag.totalMs, 0];
  let timer = setTimeout(function look() {
    const more = Math.min(lag.totalMs - known, ms - granted);
    if (more <= slackMs) return action();
    known = lag.totalMs;
    granted += more;
    timer = setTimeout(look, more);
  }, ms);
  return () => clearTimeout(timer);
}
