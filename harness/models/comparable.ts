import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { documentIn, holdsDocument } from "../oracles/documents.ts";
import { versionOf } from "../setup/subject.ts";
import { instantOf, isDefault } from "../wire/json.ts";
import { second } from "../wire/nanoseconds.ts";
import { isObject } from "../wire/reply.ts";
import type { ShownRecord } from "./operation-model.ts";

/** A value in one form for all values a store may return for it: lists sorted, times in seconds, ids in lower case. */
export function normalize(value: JsonValue): JsonValue {
  const instant = instantOf(value);
  if (instant !== undefined) return String(instant / second);
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(normalize(one))).sort();
  if (typeof value === "string") return /^[0-9a-f-]{32,64}$/i.test(value) ? value.toLowerCase() : value;
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, normalize(value[name] ?? null)]));
}

/** The named fields of a record as text. Two records a store may return for one another have the same text. */
export function comparableText(record: JsonObject, message: DescMessage, names: ReadonlySet<string>): string {
  const filled = message.fields.filter(({ jsonName }) => names.has(jsonName) && !isDefault(record[jsonName]));
  const values = filled.map((field): [string, JsonValue] => {
    const value = record[field.jsonName] ?? null;
    const document = holdsDocument(field) ? documentIn(value)?.document : undefined;
    return [field.jsonName, normalize(document ?? value)];
  });
  return JSON.stringify(Object.fromEntries(values));
}

/** A record as operations on it are compared: its version, and the named fields. */
export function comparableRecord(record: JsonObject, message: DescMessage, names: ReadonlySet<string>): ShownRecord {
  return { version: versionOf(record), body: comparableText(record, message, names) };
}
