import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { timestampRange } from "./edges.ts";
import { type JsonStyle, writeJson, writeKey } from "./json-style.ts";
import { shapeOf } from "./shape.ts";

/** An equivalent request body: the same message as another JSON text. */
export interface Spelling {
  /** Stable kebab-case id. */
  readonly name: string;
  readonly body: string;
  /** Row of the protocol sheet that makes it legal. */
  readonly row: string;
}

/**
 * The equivalent spellings of a request, in a fixed order: the same message as another JSON text, which every parser must
 * accept (docs/contract/connect-protocol.md#json-requests). Texts equal to the canonical one or to an earlier one are left
 * out.
 * @param request in canonical ProtoJSON
 */
export function equivalentSpellings(message: DescMessage, request: JsonObject): readonly Spelling[] {
  const canonical = writeJson(message, request, {});
  const spellings = [
    ...styles.map(([name, row, style]) => ({ name, row, body: writeJson(message, request, style) })),
    { name: "white-space", row: "PJ-01", body: ` \r\n\t${JSON.stringify(request, null, "\t")}\n` },
  ];
  const seen = new Set([canonical]);
  return spellings.filter(({ body }) => !seen.has(body) && seen.add(body));
}

type NamedStyle = readonly [name: string, row: string, style: JsonStyle];

const styles: readonly NamedStyle[] = [
  ["keys-reversed", "PJ-53", { members: (members) => members.toReversed() }],
  ["proto-names", "PJ-02", { key: (field) => JSON.stringify(field.name) }],
  ["escaped-names", "PJ-02", { key: (field) => escaped(field.jsonName) }],
  ["escaped-strings", "PJ-15", { text: escaped }],
  ["explicit-nulls", "PJ-07", { members: withAbsent(isOptional, () => "null") }],
  ["explicit-defaults", "PJ-42", { members: withAbsent(isImplicit, defaultText) }],
  ["omitted-defaults", "PJ-42", { members: withoutDefaults }],
  ["int64-as-number", "PJ-11", { values: { int64: wideNumber, uint64: wideNumber } }],
  ["uint32-as-text", "PJ-09", { values: { uint32: (value) => JSON.stringify(String(value)) } }],
  ["uint32-with-point", "PJ-09", { values: { uint32: (value) => `${value}.0` } }],
  ["uint32-with-exponent", "PJ-09", { values: { uint32: (value) => `${value}e0` } }],
  // No other number of an enum is shown (docs/contract/readings.md#28): the first value's is 0 in every proto3 enum.
  ["enum-as-zero", "PJ-21", { members: withAbsent(isEnum, () => "0") }],
  ["bytes-unpadded", "PJ-18", { values: { bytes: (value) => JSON.stringify(unpadded(value)) } }],
  ["bytes-url-safe", "PJ-18", { values: { bytes: (value) => JSON.stringify(urlSafe(value)) } }],
  ["bytes-url-safe-unpadded", "PJ-18", { values: { bytes: (value) => JSON.stringify(unpadded(urlSafe(value))) } }],
  ["timestamp-with-offset", "PJ-24", { values: { timestamp: offsetText } }],
  ["timestamp-nine-digits", "PJ-24", { values: { timestamp: (value) => withFraction(value, nineDigits) } }],
  ["timestamp-fewest-digits", "PJ-24", { values: { timestamp: (value) => withFraction(value, fewestDigits) } }],
  ["duration-nine-digits", "PJ-26", { values: { duration: (value) => withFraction(value, nineDigits) } }],
  ["duration-fewest-digits", "PJ-26", { values: { duration: (value) => withFraction(value, fewestDigits) } }],
];

/** JSON text with every UTF-16 unit as a `\u` escape. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

/** Adds the absent fields for which `applies` is true. */
function withAbsent(applies: (field: DescField) => boolean, write: (field: DescField) => string): JsonStyle["members"] {
  return (members, message, object) => {
    const absent = message.fields.filter((field) => object[field.jsonName] === undefined && applies(field));
    return [...members, ...absent.map((field) => `${writeKey(field, {})}:${write(field)}`)];
  };
}

/** A null beside a set member of a oneof is left out: implementations have stumbled over it (sheet PJ-06). */
export function isOptional(field: DescField): boolean {
  return field.oneof === undefined;
}

/** Absent and default are one and the same: implicit presence, lists, maps. */
function isImplicit(field: DescField): boolean {
  return field.fieldKind === "list" || field.fieldKind === "map" || field.presence === Presence.IMPLICIT;
}

/** A single enum: absent, and its first value, are one and the same. */
function isEnum(field: DescField): boolean {
  return field.fieldKind === "enum" && field.presence === Presence.IMPLICIT;
}

function defaultText(field: DescField): string {
  if (field.fieldKind === "list") return "[]";
  if (field.fieldKind === "map") return "{}";
  const shape = shapeOf(field);
  switch (shape.kind) {
    case "bool":
      return "false";
    case "uint32":
      return "0";
    case "int64":
    case "uint64":
      return '"0"';
    case "enum":
      return JSON.stringify(shape.enum.values[0]?.name);
    default:
      return '""';
  }
}

function withoutDefaults(members: readonly string[], message: DescMessage): readonly string[] {
  const defaults = message.fields.filter(isImplicit).map((field) => `${writeKey(field, {})}:${defaultText(field)}`);
  return members.filter((member) => !defaults.includes(member));
}

/** Only numbers that a double holds exactly without doubt, which is up to 2^53. */
function wideNumber(value: JsonValue): string {
  const number = BigInt(value as string);
  const size = number < 0n ? -number : number;
  return size <= 2n ** 53n ? String(number) : JSON.stringify(value);
}

function unpadded(value: JsonValue): string {
  return String(value).replace(/=+$/, "");
}

function urlSafe(value: JsonValue): string {
  return String(value).replaceAll("+", "-").replaceAll("/", "_");
}

/** The same instant on a clock half an hour off the usual ones; behind UTC where the clock would leave year 9999. */
function offsetText(value: JsonValue): string {
  const [, clock = "", fraction = ""] = /^(.{19})(\.\d+)?Z$/.exec(String(value)) ?? [];
  const offset = 5.5 * 3600;
  const seconds = Date.parse(`${clock}Z`) / 1000;
  const ahead = seconds + offset <= timestampRange.last;
  const local = new Date((ahead ? seconds + offset : seconds - offset) * 1000).toISOString().slice(0, 19);
  return JSON.stringify(`${local}${fraction}${ahead ? "+" : "-"}05:30`);
}

/** Rewrites the digits of a second, given without the point and without trailing zeros. */
function withFraction(value: JsonValue, write: (digits: string) => string): string {
  return JSON.stringify(
    String(value).replace(/(?:\.(\d+))?([Zs])$/, (_, digits: string | undefined, end: string) => {
      return write((digits ?? "").replace(/0+$/, "")) + end;
    }),
  );
}

function nineDigits(digits: string): string {
  return `.${digits.padEnd(9, "0")}`;
}

function fewestDigits(digits: string): string {
  return digits === "" ? "" : `.${digits}`;
}
