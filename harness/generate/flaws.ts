import type { JsonValue } from "@bufbuild/protobuf";
import type { Level } from "../../proto/clauses/clause.ts";
import type { Shape } from "./shape.ts";

/** What a malformed input weighs: a row of the protocol sheet with verdict F, or one with verdict W. */
export type FlawLevel = Extract<Level, "protocol" | "should">;

/** A value that a ProtoJSON parser refuses in place of one of a given shape. */
export interface Flaw {
  /** Stable kebab-case id, unique among the flaws of a shape. */
  readonly name: string;
  readonly value: JsonValue;
  readonly why: string;
  readonly level: FlawLevel;
  /** Row of the protocol sheet. */
  readonly row: string;
}

type Entry = readonly [name: string, value: JsonValue, why: string];

function flaws(row: string, level: FlawLevel, ...entries: readonly Entry[]): readonly Flaw[] {
  return entries.map(([name, value, why]) => ({ name, value, why, level, row }));
}

// Only what the protocol sheet says is refused (docs/contract/connect-protocol.md#json-requests), and what every maintained
// runtime but a faulty one refuses. Unknown enum names, odd spellings of numbers and durations, doubtful base64 and unknown
// fields are served here and refused there: they must never appear in this file.

const string = [
  ...flaws(
    "PJ-15",
    "protocol",
    ["number-for-string", 42, "a string is a JSON string, not a number"],
    ["bool-for-string", true, "a string is a JSON string, not a bool"],
    ["list-for-string", ["text"], "a string is a JSON string, not an array"],
    ["object-for-string", { text: "text" }, "a string is a JSON string, not an object"],
  ),
  ...flaws(
    "PJ-16",
    "should",
    ["lone-high-surrogate", "\ud800", "an unpaired surrogate is no Unicode text"],
    ["lone-low-surrogate", "\udc00", "an unpaired surrogate is no Unicode text"],
    ["swapped-surrogates", "\udc00\ud800", "a surrogate pair in the wrong order is no Unicode text"],
  ),
];

const bytes = [
  ...flaws(
    "PJ-18",
    "protocol",
    ["number-for-bytes", 42, "bytes are a base64 string, not a number"],
    ["bool-for-bytes", true, "bytes are a base64 string, not a bool"],
    ["list-for-bytes", [1, 2, 3], "bytes are a base64 string, not an array"],
    ["object-for-bytes", { value: "AQID" }, "bytes are a base64 string, not an object"],
  ),
  ...flaws(
    "PJ-19",
    "should",
    ["impossible-base64-length", "A", "one base64 letter holds no whole byte"],
    ["foreign-base64-letters", "!!!!", "letters outside both base64 alphabets"],
  ),
];

const bool = [
  ...flaws(
    "PJ-14",
    "protocol",
    ["list-for-bool", [true], "a bool is true or false, not an array"],
    ["object-for-bool", { value: true }, "a bool is true or false, not an object"],
  ),
  ...flaws(
    "PJ-14",
    "should",
    ["text-for-bool", "true", "a bool is true or false, not a string"],
    ["zero-for-bool", 0, "a bool is true or false, not a number"],
    ["one-for-bool", 1, "a bool is true or false, not a number"],
  ),
];

const uint32 = flaws(
  "PJ-09",
  "protocol",
  ["bool-for-uint32", true, "an integer is a number or its decimal text, not a bool"],
  ["list-for-uint32", [1], "an integer is a number or its decimal text, not an array"],
  ["object-for-uint32", { value: 1 }, "an integer is a number or its decimal text, not an object"],
  ["fraction-for-uint32", 0.5, "an integer has no fraction"],
  ["negative-uint32", -1, "an unsigned integer is not negative"],
  ["uint32-too-large", 4_294_967_296, "one past the largest 32-bit unsigned integer"],
  ["empty-text-for-uint32", "", "an empty string is no number"],
  ["uint32-with-leading-space", " 1", "decimal text holds no space"],
  ["uint32-with-trailing-space", "1 ", "decimal text holds no space"],
  ["junk-for-uint32", "12abc", "letters are no decimal text"],
);

function wide(kind: "int64" | "uint64", below: string, above: string): readonly Flaw[] {
  return flaws(
    "PJ-10",
    "protocol",
    [`bool-for-${kind}`, true, "an integer is its decimal text or a number, not a bool"],
    [`list-for-${kind}`, ["1"], "an integer is its decimal text or a number, not an array"],
    [`object-for-${kind}`, { value: "1" }, "an integer is its decimal text or a number, not an object"],
    [`empty-text-for-${kind}`, "", "an empty string is no number"],
    [`fraction-for-${kind}`, 0.5, "an integer has no fraction"],
    [`fraction-text-for-${kind}`, "0.5", "an integer has no fraction"],
    [`junk-for-${kind}`, "3x3", "letters are no decimal text"],
    [`${kind}-too-small`, below, "one below the smallest integer of the type"],
    [`${kind}-too-large`, above, "one past the largest integer of the type"],
  );
}

const int64 = [
  ...wide("int64", "-9223372036854775809", "9223372036854775808"),
  ...flaws("PJ-11", "protocol", ["int64-number-too-large", 2 ** 63, "a number past the largest integer of the type"]),
];

const uint64 = wide("uint64", "-1", "18446744073709551616");

const enumeration = flaws(
  "PJ-21",
  "protocol",
  ["bool-for-enum", true, "an enum is a value's name or number, not a bool"],
  ["list-for-enum", [1], "an enum is a value's name or number, not an array"],
  ["object-for-enum", { value: 1 }, "an enum is a value's name or number, not an object"],
  ["fraction-for-enum", 0.5, "an enum's number is whole"],
);

const timestamp = [
  ...flaws(
    "PJ-24",
    "protocol",
    ["number-for-timestamp", 1_704_164_645, "a timestamp is RFC 3339 text, not a number"],
    ["bool-for-timestamp", true, "a timestamp is RFC 3339 text, not a bool"],
    ["list-for-timestamp", ["2024-01-02T03:04:05Z"], "a timestamp is RFC 3339 text, not an array"],
    ["object-for-timestamp", { seconds: "1704164645" }, "a timestamp is RFC 3339 text, not an object"],
    ["timestamp-without-zone", "2024-01-02T03:04:05", "a timestamp names its zone"],
    ["timestamp-with-space", "2024-01-02 03:04:05Z", "a T stands between date and time"],
    ["timestamp-with-small-t", "2024-01-02t03:04:05Z", "the T of ProtoJSON is upper case"],
    ["timestamp-with-small-z", "2024-01-02T03:04:05z", "the Z of ProtoJSON is upper case"],
    ["timestamp-zone-without-colon", "2024-01-02T03:04:05+0530", "an offset has a colon"],
    ["timestamp-ten-digits", "2024-01-02T03:04:05.1234567891Z", "a second has at most nine digits"],
    ["timestamp-year-zero", "0000-01-01T00:00:00Z", "the first year is 0001"],
    ["timestamp-five-digit-year", "10000-01-01T00:00:00Z", "the last year is 9999"],
    ["timestamp-before-first", "0001-01-01T00:00:00+01:00", "in UTC it lies before year 0001"],
    ["timestamp-after-last", "9999-12-31T23:59:59-01:00", "in UTC it lies after year 9999"],
  ),
  ...flaws(
    "PJ-25",
    "should",
    ["timestamp-impossible-day", "2001-02-29T00:00:00Z", "2001 has no 29 February"],
    ["timestamp-impossible-month", "2001-13-01T00:00:00Z", "there is no month 13"],
    ["timestamp-hour-24", "2001-01-01T24:00:00Z", "the hours end at 23"],
    ["timestamp-second-60", "2001-01-01T23:59:60Z", "a protobuf timestamp has no leap seconds"],
    ["timestamp-offset-24", "2001-01-02T00:00:00+24:00", "offsets end at 23:59"],
  ),
];

const duration = [
  ...flaws(
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
  ...flaws("PJ-26", "should", ["duration-ten-digits", "1.1234567891s", "a second has at most nine digits"]),
];

const message = flaws(
  "PJ-31",
  "protocol",
  ["text-for-message", "01890a5d-ac96-774b-bcce-b302099a8057", "a message is an object, not a string"],
  ["number-for-message", 42, "a message is an object, not a number"],
  ["bool-for-message", true, "a message is an object, not a bool"],
  ["list-for-message", [{}], "a message is an object, not an array"],
);

const byKind: Readonly<Record<Shape["kind"], readonly Flaw[]>> = {
  string,
  bytes,
  bool,
  uint32,
  int64,
  uint64,
  enum: enumeration,
  timestamp,
  duration,
  message,
};

/** The flaws of a value of this shape itself; of a message those of its fields are not among them. */
export function flawsOf(shape: Shape): readonly Flaw[] {
  return byKind[shape.kind];
}

/** The flaws of a list itself. */
export const listFlaws: readonly Flaw[] = [
  ...flaws(
    "PJ-28",
    "protocol",
    ["text-for-list", "text", "a repeated field is an array, not a string"],
    ["number-for-list", 42, "a repeated field is an array, not a number"],
    ["bool-for-list", true, "a repeated field is an array, not a bool"],
    ["object-for-list", {}, "a repeated field is an array, not an object"],
  ),
  ...flaws("PJ-08", "should", ["null-in-list", [null], "an array holds no null"]),
];

/** The flaws of a map itself. */
export const mapFlaws: readonly Flaw[] = [
  ...flaws(
    "PJ-29",
    "protocol",
    ["list-for-map", [{ key: "value" }], "a map is an object, not an array"],
    ["text-for-map", "text", "a map is an object, not a string"],
    ["number-for-map", 42, "a map is an object, not a number"],
    ["bool-for-map", true, "a map is an object, not a bool"],
  ),
  ...flaws("PJ-08", "should", ["null-in-map", { key: null }, "a map holds no null"]),
];
