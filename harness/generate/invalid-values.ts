import { invalidDurations, invalidTimestamps } from "./invalid-times.ts";
import { type InvalidValue, invalid, perField } from "./invalid-value.ts";
import type { Shape } from "./shape.ts";

// Only values that the protocol sheet says are refused (docs/contract/connect-protocol.md#json-requests), and that every
// maintained runtime refuses. Unknown enum names, unusual spellings of numbers and durations, lenient base64 and unknown
// fields must never appear here: some runtimes serve them, others refuse them.

const string = [
  ...invalid(
    "PJ-15",
    "protocol",
    ["number-for-string", 42, "a string is a JSON string, not a number"],
    ["bool-for-string", true, "a string is a JSON string, not a bool"],
    ["list-for-string", ["text"], "a string is a JSON string, not an array"],
    ["object-for-string", { text: "text" }, "a string is a JSON string, not an object"],
  ),
  ...invalid(
    "PJ-16",
    "should",
    ["lone-high-surrogate", "\ud800", "an unpaired surrogate is no Unicode text"],
    ["lone-low-surrogate", "\udc00", "an unpaired surrogate is no Unicode text"],
    ["swapped-surrogates", "\udc00\ud800", "a surrogate pair in the wrong order is no Unicode text"],
  ),
];

const bytes = perField([
  ...invalid(
    "PJ-18",
    "protocol",
    ["number-for-bytes", 42, "bytes are a base64 string, not a number"],
    ["bool-for-bytes", true, "bytes are a base64 string, not a bool"],
    ["list-for-bytes", [1, 2, 3], "bytes are a base64 string, not an array"],
    ["object-for-bytes", { value: "AQID" }, "bytes are a base64 string, not an object"],
  ),
  ...invalid(
    "PJ-19",
    "should",
    ["impossible-base64-length", "A", "one base64 letter holds no whole byte"],
    ["foreign-base64-letters", "!!!!", "letters outside both base64 alphabets"],
  ),
]);

const bool = [
  ...invalid(
    "PJ-14",
    "protocol",
    ["list-for-bool", [true], "a bool is true or false, not an array"],
    ["object-for-bool", { value: true }, "a bool is true or false, not an object"],
  ),
  ...invalid(
    "PJ-14",
    "should",
    ["text-for-bool", "true", "a bool is true or false, not a string"],
    ["zero-for-bool", 0, "a bool is true or false, not a number"],
    ["one-for-bool", 1, "a bool is true or false, not a number"],
  ),
];

const uint32 = [
  ...perField(
    invalid(
      "PJ-09",
      "protocol",
      ["negative-uint32", -1, "an unsigned integer is not negative"],
      ["uint32-too-large", 4_294_967_296, "one past the largest 32-bit unsigned integer"],
    ),
  ),
  ...invalid(
    "PJ-09",
    "protocol",
    ["bool-for-uint32", true, "an integer is a number or its decimal text, not a bool"],
    ["list-for-uint32", [1], "an integer is a number or its decimal text, not an array"],
    ["object-for-uint32", { value: 1 }, "an integer is a number or its decimal text, not an object"],
    ["fraction-for-uint32", 0.5, "an integer has no fraction"],
    ["empty-text-for-uint32", "", "an empty string is no number"],
    ["uint32-with-leading-space", " 1", "decimal text holds no space"],
    ["uint32-with-trailing-space", "1 ", "decimal text holds no space"],
    ["junk-for-uint32", "12abc", "letters are no decimal text"],
  ),
];

function wide(kind: "int64" | "uint64", below: string, above: string): readonly InvalidValue[] {
  const range = invalid(
    "PJ-10",
    "protocol",
    [`${kind}-too-small`, below, "one below the smallest integer of the type"],
    [`${kind}-too-large`, above, "one past the largest integer of the type"],
  );
  const others = invalid(
    "PJ-10",
    "protocol",
    [`bool-for-${kind}`, true, "an integer is its decimal text or a number, not a bool"],
    [`list-for-${kind}`, ["1"], "an integer is its decimal text or a number, not an array"],
    [`object-for-${kind}`, { value: "1" }, "an integer is its decimal text or a number, not an object"],
    [`empty-text-for-${kind}`, "", "an empty string is no number"],
    [`fraction-for-${kind}`, 0.5, "an integer has no fraction"],
    [`fraction-text-for-${kind}`, "0.5", "an integer has no fraction"],
    [`junk-for-${kind}`, "3x3", "letters are no decimal text"],
  );
  return [...perField(range), ...others];
}

const int64 = [
  ...wide("int64", "-9223372036854775809", "9223372036854775808"),
  ...perField(
    invalid("PJ-11", "protocol", ["int64-number-too-large", 2 ** 63, "a number past the largest integer of the type"]),
  ),
];

const uint64 = wide("uint64", "-1", "18446744073709551616");

const enumeration = invalid(
  "PJ-21",
  "protocol",
  ["bool-for-enum", true, "an enum is a value's name or number, not a bool"],
  ["list-for-enum", [1], "an enum is a value's name or number, not an array"],
  ["object-for-enum", { value: 1 }, "an enum is a value's name or number, not an object"],
  ["fraction-for-enum", 0.5, "an enum's number is whole"],
);

const message = invalid(
  "PJ-31",
  "protocol",
  ["text-for-message", "01890a5d-ac96-774b-bcce-b302099a8057", "a message is an object, not a string"],
  ["number-for-message", 42, "a message is an object, not a number"],
  ["bool-for-message", true, "a message is an object, not a bool"],
  ["list-for-message", [{}], "a message is an object, not an array"],
  ["empty-list-for-message", [], "a message is an object, not an array"],
  ["text-list-for-message", ["x"], "a message is an object, not an array"],
  ["empty-text-for-message", "", "a message is an object, not a string"],
);

const byKind: Readonly<Record<Shape["kind"], readonly InvalidValue[]>> = {
  string,
  bytes,
  bool,
  uint32,
  int64,
  uint64,
  enum: enumeration,
  timestamp: invalidTimestamps,
  duration: invalidDurations,
  message,
};

/** The invalid values for a shape. Of a message, those of its fields are not among them. */
export function invalidValuesOf(shape: Shape): readonly InvalidValue[] {
  return byKind[shape.kind];
}

/** The invalid values for a repeated field as a whole. */
export const invalidLists: readonly InvalidValue[] = [
  ...invalid(
    "PJ-28",
    "protocol",
    ["text-for-list", "text", "a repeated field is an array, not a string"],
    ["number-for-list", 42, "a repeated field is an array, not a number"],
    ["bool-for-list", true, "a repeated field is an array, not a bool"],
    ["object-for-list", {}, "a repeated field is an array, not an object"],
  ),
  ...invalid("PJ-08", "should", ["null-in-list", [null], "an array holds no null"]),
];

/** The invalid values for a map field as a whole. */
export const invalidMaps: readonly InvalidValue[] = [
  ...invalid(
    "PJ-29",
    "protocol",
    ["list-for-map", [{ key: "value" }], "a map is an object, not an array"],
    ["text-for-map", "text", "a map is an object, not a string"],
    ["number-for-map", 42, "a map is an object, not a number"],
    ["bool-for-map", true, "a map is an object, not a bool"],
  ),
  ...invalid("PJ-08", "should", ["null-in-map", { key: null }, "a map holds no null"]),
];
