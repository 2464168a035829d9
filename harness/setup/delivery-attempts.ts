import type { Delivered } from "../webhooks/receiver.ts";

/**
 * How much later than a request one like it may come that repeats the same attempt, in milliseconds: who delivers at least
 * once may post twice, and an HTTP client repeats by itself what was not answered well.
 */
const repeatMs = 1000;

const isLike = (one: Delivered, other: Delivered) => Buffer.compare(one.body, other.body) === 0;

/**
 * The fewest attempts that requests of one delivery may have been, each of which is posted once or twice. An attempt that comes
 * with another body than the one before is one of its own.
 *
 * @param withinMs how much later a repetition may come
 */
export function fewestAttempts(requests: readonly Delivered[], withinMs = repeatMs): number {
  let count = 0;
  let single: Delivered | undefined;
  for (const request of requests) {
    const repeats = single !== undefined && request.at - single.at <= withinMs && isLike(request, single);
    if (!repeats) count += 1;
    single = repeats ? undefined : request;
  }
  return count;
}
