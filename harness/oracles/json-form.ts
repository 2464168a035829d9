import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { showJson } from "../wire/json.ts";
import { takenOutOf } from "../wire/plain-ids.ts";
import { isObject } from "../wire/reply.ts";
import { scalarBreaches } from "./scalar-form.ts";
import { durationBreaches, timestampBreaches } from "./time-form.ts";

/** How well the JSON of a message keeps to its form. */
export interface FormReport {
  readonly breaches: readonly Breach[];
  /** Paths of fields that the contract does not list, which it may have: `job.extra`. */
  readonly unknown: readonly string[];
  /** Whether a field that is not set is written as null, which reads as one that is left out (docs/contract/readings.md#13). */
  readonly nulls: boolean;
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Judges the JSON of a message against its descriptor: the contract's wire conventions, then ProtoJSON. Cached per object. */
export function judgeForm(message: DescMessage, json: JsonObject): FormReport {
  const known = reports.get(json);
  if (known !== undefined) return known;
  const report = walk(message, json);
  reports.set(json, report);
  return report;
}

/** Several rules judge or observe the form of one message: it is walked once. */
const reports = new WeakMap<JsonObject, FormReport>();

function walk(message: DescMessage, json: JsonObject): FormReport {
  const breaches: Breach[] = [];
  const unknown: string[] = [];
  let nulls = false;
  walkMessage(message, json, "");
  unknown.push(...takenOutOf(json));
  return { breaches, unknown, nulls };

  function breach(clause: string, at: string, expected: string, value: JsonValue): void {
    breaches.push({ clause, at, expected, actual: showJson(value) });
  }

  function walkMessage(type: DescMessage, value: JsonObject, path: string): void {
    for (const [key, item] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      const field = type.fields.find((one) => one.jsonName === key);
      if (field !== undefined) walkField(field, item, at);
      else if (type.fields.some((one) => one.name === key)) {
        breach("*.wire.camel-case", at, "a camelCase field name", key);
      } else unknown.push(at);
    }
  }

  function walkField(field: DescField, value: JsonValue, at: string): void {
    if (value === null) {
      nulls = true;
      return;
    }
    switch (field.fieldKind) {
      case "list":
        if (!Array.isArray(value)) breach("*.wire.list", at, "a JSON array", value);
        else for (const [index, item] of value.entries()) walkElement(field, item, `${at}[${index}]`);
        return;
      case "map":
        if (!isObject(value)) breach("*.wire.map", at, "a JSON object with string values", value);
        else {
          for (const [key, item] of Object.entries(value)) {
            if (typeof item !== "string") breach("*.wire.map", `${at}.${key}`, "a string", item);
          }
        }
        return;
      case "enum":
        walkEnum(field.enum, value, at);
        return;
      case "message":
        walkNested(field.message, value, at);
        return;
      case "scalar":
        breaches.push(...scalarBreaches(field.scalar, value, at));
    }
  }

  function walkElement(field: DescField & { fieldKind: "list" }, value: JsonValue, at: string): void {
    if (field.listKind === "message") walkNested(field.message, value, at);
    else if (field.listKind === "enum") walkEnum(field.enum, value, at);
    else breaches.push(...scalarBreaches(field.scalar, value, at));
  }

  function walkEnum(type: DescEnum, value: JsonValue, at: string): void {
    if (!type.values.some((one) => one.name === value))
      breach("*.wire.enum", at, "the name of a declared value", value);
  }

  function walkNested(type: DescMessage, value: JsonValue, at: string): void {
    if (type.name === "UUIDv7") walkUuid(value, at);
    else if (type.typeName === "google.protobuf.Timestamp") breaches.push(...timestampBreaches(value, at));
    else if (type.typeName === "google.protobuf.Duration") breaches.push(...durationBreaches(value, at));
    else if (isObject(value)) walkMessage(type, value, at);
    else breach("json.reply.scalars", at, "a JSON object", value);
  }

  function walkUuid(value: JsonValue, at: string): void {
    if (!isObject(value) || (value.value !== undefined && typeof value.value !== "string")) {
      breach("*.wire.uuid", at, 'an object with one string field "value"', value);
      return;
    }
    const others = Object.keys(value).filter((key) => key !== "value");
    unknown.push(...others.map((key) => `${at}.${key}`));
    if (value.value === undefined || value.value === "") return;
    if (!uuidV7.test(value.value)) breach("*.wire.uuid-v7", at, "a UUID of version 7", value.value);
  }
}
