import { Effect } from "../../proto/rpcs.ts";
import { sentAt } from "../wire/exchange.ts";
import { instantOf } from "../wire/json.ts";
import { inMilliseconds } from "../wire/nanoseconds.ts";
import type { Reply } from "../wire/reply.ts";
import { recordClockAhead } from "./record-clock.ts";
import { recordIn } from "./subject.ts";

/** Milliseconds that the target's `Date` header, cut to whole seconds, may be behind. */
const cutMs = 1000;

/** By how many milliseconds the clock that dates the record in a reply that created it is ahead of ours; 0 where it is not known to be. */
function creationAheadMs(reply: Reply): number {
  const { startedAt, durationMs } = reply.exchange;
  if (reply.row.effect !== Effect.CREATE) return 0;
  return recordClockAhead({ record: recordIn(reply) }, startedAt, startedAt + durationMs);
}

/**
 * Until when what a reply gives out is good for certain, by our clock, in milliseconds since 1970: its own `expiresAt`, or
 * that of its record, whichever comes first. How long either lasts is open. The times are read by the target's clock.
 *
 * @param recordsAheadMs by how many milliseconds the clock that dates records is ahead of ours; 0 where only the `Date` header is known
 * @returns undefined where the reply shows no such time
 */
export function goodUntil(reply: Reply, recordsAheadMs = 0): number | undefined {
  const { startedAt, response } = reply.exchange;
  const given = reply.outcome === "served" ? [reply.json.expiresAt, recordIn(reply).expiresAt] : [];
  const times = given.map(instantOf).filter((instant) => instant !== undefined);
  if (times.length === 0) return undefined;
  const aheadMs = recordsAheadMs || creationAheadMs(reply) || (sentAt(response) ?? startedAt) - startedAt;
  return Math.min(...times.map((instant) => inMilliseconds(instant))) - aheadMs - cutMs;
}

/** Milliseconds that the clock which ends what is given out may be ahead of that of the `Date` header: a web server in front has its own. */
const clocksMs = 60_000;

/**
 * True where what a reply gives out may be good no longer at a time of our clock, in milliseconds since 1970.
 *
 * @param apartMs by how many milliseconds clocks may differ
 */
export function mayHaveLapsed(reply: Reply, at: number, apartMs = clocksMs): boolean {
  return at + apartMs >= (goodUntil(reply) ?? Number.POSITIVE_INFINITY);
}
