import type { SeenExchange } from "../case/observer.ts";
import { showsSomething } from "../wire/content.ts";
import { bodyLength } from "../wire/exchange.ts";
import { createAnswerTime } from "./answer-time.ts";

/** Whether the target answers at all: a target that only times out is not asked a thousand times more. */
export interface Health {
  onExchange(seen: SeenExchange): void;
  /** How long to listen to a stream, where it is to be listened for so many milliseconds: longer to a target that is slow by now. */
  listenMs(asked: number): number;
  /** Why the target is asked no more; undefined while it answers. */
  readonly givenUp: string | undefined;
  /** Whether it ever served a call. */
  readonly everServed: boolean;
  /** Whether it ever served a call with something in the reply. */
  readonly everShowed: boolean;
}

/** Calls in a row, at most, that time out before the target is given up. */
const maxTimeouts = 8;

/** Replies that nobody can use, at most, before a target that never sent another is given up. */
const maxUnusable = 100;

/** What a target that never showed anything may cost at most before it is given up: bytes of replies, and slow replies. */
const [maxBytesOfNothing, maxSlow] = [8 * 2 ** 20, 24];

/** What share of the time a reply may take makes it a slow one. */
const slowShare = 0.25;

/**
 * Starts with nothing known.
 *
 * @param replyMs how long a reply may take
 */
export function createHealth(replyMs: number): Health {
  const slowMs = replyMs * slowShare;
  const answers = createAnswerTime(replyMs);
  let [timeouts, unusable, replies, bytes, slow] = [0, 0, 0, 0, 0];
  let everUsable = false;
  let everServed = false;
  let everShowed = false;
  return {
    listenMs: answers.listenMs,
    onExchange({ reply }) {
      if (reply === undefined) return;
      answers.note(reply);
      if (reply.outcome === "served") {
        everServed = true;
        everShowed ||= showsSomething(reply);
      }
      const kind = reply.exchange.failure?.kind;
      // A stream that said something is not silent, however long it then says no more. What was given up says nothing.
      if (kind === "abandoned" && reply.messages.length === 0) return;
      timeouts = kind === "timeout" && reply.messages.length === 0 ? timeouts + 1 : 0;
      everUsable ||= reply.outcome !== "broken";
      if (!everUsable) unusable += 1;
      replies += 1;
      bytes += bodyLength(reply.exchange.response);
      if (reply.exchange.durationMs >= slowMs) slow += 1;
    },
    get givenUp() {
      if (timeouts >= maxTimeouts) return `the target did not answer ${timeouts} requests in a row`;
      if (!everUsable && unusable >= maxUnusable) return `none of the first ${unusable} replies could be used`;
      if (everShowed) return undefined;
      if (bytes >= maxBytesOfNothing)
        return `none of the first ${replies} replies showed anything, in ${Math.floor(bytes / 2 ** 20)} MB`;
      if (slow < maxSlow) return undefined;
      return `none of the first ${replies} replies showed anything, and ${slow} of them took ${slowMs} ms and more`;
    },
    get everServed() {
      return everServed;
    },
    get everShowed() {
      return everShowed;
    },
  };
}
