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

export { timestampFromMs as timestamp };
