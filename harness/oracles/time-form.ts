import type { JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { integerOf, showJson } from "../wire/json.ts";

const instant = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const duration = /^-?(\d+)(\.\d+)?s$/;
/** ProtoJSON writes 0, 3, 6 or 9 fraction digits. */
const canonicalFraction = /^(\.(\d{3}|\d{6}|\d{9}))?$/;
const maxSeconds = 315_576_000_000n;

/** Breaches in the JSON of a google.protobuf.Timestamp (contract: wire conventions; PJ-50). */
export function timestampBreaches(value: JsonValue, at: string): Breach[] {
  const actual = showJson(value);
  if (typeof value !== "string") return [{ clause: "*.wire.timestamp", at, expected: "a JSON string", actual }];
  const match = instant.exec(value);
  const [, year, month, day, hour, minute, second, fraction = "", zone] = match ?? [];
  // Date.UTC rolls impossible days over into the next month; a real date comes back as it went in.
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal =
    match !== null &&
    Number(year) >= 1 &&
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    fraction.length <= 10;
  if (!isReal) return [{ clause: "json.reply.timestamp", at, expected: "an RFC 3339 instant", actual }];
  if (zone !== "Z" || !canonicalFraction.test(fraction)) {
    return [
      { clause: "json.reply.timestamp-digits", at, expected: "UTC with Z and 0, 3, 6 or 9 fraction digits", actual },
    ];
  }
  return [];
}

/** Breaches in the JSON of a google.protobuf.Duration (contract: wire conventions; PJ-51). */
export function durationBreaches(value: JsonValue, at: string): Breach[] {
  const actual = showJson(value);
  const match = typeof value === "string" ? duration.exec(value) : null;
  if (match === null)
    return [{ clause: "*.wire.duration", at, expected: "decimal seconds followed by s, as a string", actual }];
  const [, seconds = "0", fraction = ""] = match;
  if ((integerOf(seconds) ?? maxSeconds + 1n) > maxSeconds || fraction.length > 10) {
    return [{ clause: "json.reply.duration", at, expected: "at most 315576000000 seconds, to the nanosecond", actual }];
  }
  if (!canonicalFraction.test(fraction)) {
    return [{ clause: "json.reply.duration-digits", at, expected: "0, 3, 6 or 9 fraction digits", actual }];
  }
  return [];
}
