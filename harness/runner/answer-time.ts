import type { Reply } from "../wire/reply.ts";

/** How fast the target answers by now, so that its silence is not taken for an answer before it had the time for one. */
export interface AnswerTime {
  /** Notes how long a reply took. A stream, which may be silent as long as it likes, says nothing. */
  note(reply: Pick<Reply, "row" | "exchange">): void;
  /**
   * How long to listen to a stream that nothing may come of, in milliseconds: as long as is asked for, or some times longer than
   * answers take just now, if that is more.
   */
  listenMs(asked: number): number;
}

/** Replies that it goes by, the last ones. */
const remembered = 32;
/** What share of them is answered by then. */
const answeredShare = 0.9;
/** How many times longer it is listened than an answer takes. */
const times = 3;

/**
 * Begins with a target that answers at once.
 *
 * @param replyMs how long a reply may take: it is listened no longer than that, unless more is asked for
 */
export function createAnswerTime(replyMs: number): AnswerTime {
  const last: number[] = [];
  return {
    note({ row, exchange: { response, durationMs } }) {
      if (row.stream || response === undefined) return;
      last.push(durationMs);
      if (last.length > remembered) last.shift();
    },
    listenMs(asked) {
      const sorted = last.toSorted((one, other) => one - other);
      const usual = sorted[Math.floor(sorted.length * answeredShare)] ?? 0;
      return Math.max(asked, Math.min(replyMs, times * usual));
    },
  };
}
