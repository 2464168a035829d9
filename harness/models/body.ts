import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { documentIn, holdsDocument } from "../oracles/documents.ts";
import { versionOf } from "../setup/subject.ts";
import { instantOf, isDefault } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import type { ShownRecord } from "./operation-model.ts";

/** A value as any store may give it back: lists that are sets in one order, times in seconds, ids without case. */
function plainValue(value: JsonValue): JsonValue {
  const instant = instantOf(value);
  if (instant !== undefined) return String(instant / 1_000_000_000n);
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(plainValue(one))).sort();
  if (typeof value === "string") return /^[0-9a-f-]{32,64}$/i.test(value) ? value.toLowerCase() : value;
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, plainValue(value[name] ?? null)]));
}

/** The fields named of a record as one text, equal for records a store may take for one. */
export function bodyOf(record: JsonObject, message: DescMessage, names: ReadonlySet<string>): string {
  const shown = message.fields.filter(({ jsonName }) => names.has(jsonName) && !isDefault(record[jsonName]));
  const values = shown.map((field): [string, JsonValue] => {
    const value = record[field.jsonName] ?? null;
    const document = holdsDocument(field) ? documentIn(value)?.document : undefined;
    return [field.jsonName, plainValue(document ?? value)];
  });
  return JSON.stringify(Object.fromEntries(values));
}

/** A record as the checker compares it. */
export function shownOf(record: JsonObject, message: DescMessage, names: ReadonlySet<string>): ShownRecord {
  return { version: versionOf(record), body: bodyOf(record, message, names) };
}
