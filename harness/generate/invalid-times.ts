import { type InvalidValue, invalid } from "./invalid-value.ts";

/**
 * Invalid values for a google.protobuf.Timestamp. Those that every parser is to refuse lie ahead where they can: a time that
 * has passed may be refused for that alone, where something is to expire then.
 */
export const invalidTimestamps: readonly InvalidValue[] = [
  ...invalid(
    "PJ-24",
    "protocol",
    ["number-for-timestamp", 1_704_164_645, "a timestamp is RFC 3339 text, not a number"],
    ["bool-for-timestamp", true, "a timestamp is RFC 3339 text, not a bool"],
    ["list-for-timestamp", ["2037-01-02T03:04:05Z"], "a timestamp is RFC 3339 text, not an array"],
    ["object-for-timestamp", { seconds: "1704164645" }, "a timestamp is RFC 3339 text, not an object"],
    ["timestamp-without-zone", "2037-01-02T03:04:05", "a timestamp names its zone"],
    ["timestamp-with-space", "2037-01-02 03:04:05Z", "a T stands between date and time"],
    ["timestamp-with-small-t", "2037-01-02t03:04:05Z", "the T of ProtoJSON is upper case"],
    ["timestamp-with-small-z", "2037-01-02T03:04:05z", "the Z of ProtoJSON is upper case"],
    ["timestamp-zone-without-colon", "2037-01-02T03:04:05+0530", "an offset has a colon"],
    ["timestamp-ten-digits", "2037-01-02T03:04:05.1234567891Z", "a second has at most nine digits"],
    ["timestamp-year-zero", "0000-01-01T00:00:00Z", "the first year is 0001"],
    ["timestamp-five-digit-year", "10000-01-01T00:00:00Z", "the last year is 9999"],
    ["timestamp-before-first", "0001-01-01T00:00:00+01:00", "in UTC it lies before year 0001"],
    ["timestamp-after-last", "9999-12-31T23:59:59-01:00", "in UTC it lies after year 9999"],
  ),
  ...invalid(
    "PJ-25",
    "should",
    ["timestamp-impossible-day", "2001-02-29T00:00:00Z", "2001 has no 29 February"],
    ["timestamp-impossible-month", "2001-13-01T00:00:00Z", "there is no month 13"],
    ["timestamp-hour-24", "2001-01-01T24:00:00Z", "the hours end at 23"],
    ["timestamp-second-60", "2001-01-01T23:59:60Z", "a protobuf timestamp has no leap seconds"],
    ["timestamp-offset-24", "2001-01-02T00:00:00+24:00", "offsets end at 23:59"],
  ),
];

/** Invalid values for a google.protobuf.Duration. */
export const invalidDurations: readonly InvalidValue[] = [
  ...invalid(
    "PJ-26",
    "protocol",
    ["number-for-duration", 3, "a duration is text with a unit, not a number"],
    ["bool-for-duration", true, "a duration is text with a unit, not a bool"],
    ["list-for-duration", ["3s"], "a duration is text with a unit, not an array"],
    ["object-for-duration", { seconds: "3" }, "a duration is text with a unit, not an object"],
    ["duration-without-unit", "3", "a duration ends in s"],
    ["duration-too-long", "315576000001s", "past the longest duration"],
    ["duration-too-negative", "-315576000001s", "past the longest negative duration"],
  ),
  ...invalid("PJ-26", "should", ["duration-ten-digits", "1.1234567891s", "a second has at most nine digits"]),
];
