import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./wire/reply.ts";

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
 * case, instants and durations by value (TR-19).
 */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isDefault(a) || isDefault(b)) return isDefault(a) && isDefault(b);
  if (typeof a === "string" && typeof b === "string") return a === b || normalText(a) === normalText(b);
  if (typeof a === "number" || typeof b === "number") return Number(a) === Number(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameJson(a[key], b[key]));
  }
  return a === b;
}

/** Compares two lists as sets: origins, scopes, tools and event types have no order, and a store may sort them. */
export function sameItems(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((one) => b.some((other) => sameJson(one, other)));
}

const instantText = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const durationText = /^-?\d+(\.\d{1,9})?s$/;
const hexOrUuid = /^[0-9a-f-]{32,64}$/i;

/** Nanoseconds since the epoch of an RFC 3339 text, or undefined. */
export function instantOf(value: JsonValue | undefined): bigint | undefined {
  const match = typeof value === "string" ? instantText.exec(value) : null;
  if (match === null) return undefined;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(seconds)) return undefined;
  return BigInt(seconds) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}

function normalText(text: string): string {
  const instant = instantOf(text);
  if (instant !== undefined) return `instant ${instant}`;
  // 1.500s and 1.5s are one duration.
  if (durationText.test(text)) return text.includes(".") ? text.replace(/\.?0*s$/, "s") : text;
  return hexOrUuid.test(text) ? text.toLowerCase() : text;
}

/** A value as findings show it. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
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
