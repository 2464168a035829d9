import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";

const nanosPerSecond = 1_000_000_000n;

/** A duration in nanoseconds. */
export function durationNanos(duration: Duration): bigint {
  return duration.seconds * nanosPerSecond + BigInt(duration.nanos);
}

/** `start` moved on by `duration`, to the nanosecond. */
export function addDuration(start: Timestamp, duration: Duration): Timestamp {
  const total = start.seconds * nanosPerSecond + BigInt(start.nanos) + durationNanos(duration);
  return { ...start, seconds: total / nanosPerSecond, nanos: Number(total % nanosPerSecond) };
}

/** Whether `time` (absent: never) has come at `nowMs`. */
export function hasCome(time: Timestamp | undefined, nowMs: number): boolean {
  return time !== undefined && timestampMs(time) <= nowMs;
}

const dayAndHour = /^(\d{4})-(\d\d)-(\d\d)T(\d\d)/;

/** Whether the text of a timestamp names a day and an hour that there are: what reads it takes the 29th of any February. */
export function isThere(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0] = (dayAndHour.exec(text) ?? []).slice(1).map(Number);
  return hour < 24 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

export { timestampFromMs as timestamp };
