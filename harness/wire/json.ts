import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./reply.ts";
import { ellipted } from "./short-text.ts";

/** Reads a value by its path: `secret.id.value`, `jobs[0].state`. Undefined where nothing stands there. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const part of path.split(/[.[\]]+/).filter((one) => one !== "")) {
    if (Array.isArray(found)) found = found[Number(part)];
    else if (isObject(found)) found = found[part];
    else return undefined;
  }
  return found;
}

/** True for what ProtoJSON omits: absent, null, 0, "", false, empty list, empty object. Enum zeros count too. */
export function isDefault(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === "" || value === false || value === "0")
    return true;
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isDefault);
  return typeof value === "string" && /^[A-Z0-9_]+_UNSPECIFIED$/.test(value);
}

/**
 * Compares two values as ProtoJSON readers do: absent, null and default alike, key order free, UUIDs and hex without
 * case, instants and durations by value (TR-19), bytes in either alphabet, padded or not (PJ-48). Lists are compared as
 * bags: origins, scopes, tools and event types have no order, and a store may show them in any.
 */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isDefault(a) || isDefault(b)) return isDefault(a) && isDefault(b);
  if (typeof a === "string" && typeof b === "string") return a === b || normalText(a) === normalText(b);
  if (typeof a === "number" || typeof b === "number") return Number(a) === Number(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index])) || sameBag(a, b, sameJson);
  }
  if (isObject(a) && isObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameJson(a[key], b[key]));
  }
  return a === b;
}

/** Whether each item of one list has a like of its own in the other, and none is left. */
export function sameBag<T>(a: readonly T[], b: readonly T[], alike: (one: T, other: T) => boolean): boolean {
  const left = [...b];
  for (const item of a) {
    const place = left.findIndex((other) => alike(item, other));
    if (place === -1) return false;
    left.splice(place, 1);
  }
  return left.length === 0;
}

const instantText = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const durationText = /^-?\d+(\.\d{1,9})?s$/;
const hexOrUuid = /^[0-9a-f-]{32,64}$/i;
const base64Text = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Nanoseconds since the epoch of an RFC 3339 text, or undefined. */
export function instantOf(value: JsonValue | undefined): bigint | undefined {
  const match = typeof value === "string" ? instantText.exec(value) : null;
  if (match === null) return undefined;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(seconds)) return undefined;
  return BigInt(seconds) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/**
 * Whether a time may be one of a clock that tells seconds, tenths or quarters alone: by its digits, or as it is a whole fortieth
 * of a second, however many digits are written.
 */
export function mayBeCoarse(time: JsonValue | undefined): boolean {
  const fraction = instantText.exec(String(time))?.[2] ?? "";
  return fraction.length < 3 || Number(fraction.slice(0, 3)) % 25 === 0;
}

/** What int64 and uint64 may hold, as text: more digits are no number of the contract, and long ones take minutes to read. */
const integerText = /^(?:-?\d{1,19}|\d{20})$/;

/** The integer that a JSON value stands for as a 64-bit number, in either form; undefined for anything else. */
export function integerOf(value: JsonValue | undefined): bigint | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && integerText.test(text) ? BigInt(text) : undefined;
}

function normalText(text: string): string {
  const instant = instantOf(text);
  if (instant !== undefined) return `instant ${instant}`;
  // 1.500s and 1.5s are one duration.
  if (durationText.test(text)) return text.includes(".") ? text.replace(/\.?0*s$/, "s") : text;
  if (hexOrUuid.test(text)) return text.toLowerCase();
  return base64Text.test(text) ? text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/") : text;
}

/** What maps and sets tell ids apart by: an id is the same in either letter case. */
export const idKey = (id: JsonValue): string => JSON.stringify(id).toLowerCase();

/** Characters of a value that findings show. */
const maxShown = 300;

/** A value as findings show it. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return ellipted(text, maxShown);
}

/** The object at a path, or an empty one. */
export function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  const found = valueAt(value, path);
  return isObject(found) ? found : {};
}

/** The list at a path, or an empty one. */
export function listAt(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path, or an empty one. */
export function textAt(value: JsonValue | undefined, path: string): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
}
