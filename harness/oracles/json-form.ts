import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { showJson } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { durationBreaches, timestampBreaches } from "./time-form.ts";

/** What a walk over a message found. */
export interface FormReport {
  readonly breaches: readonly Breach[];
  /** Paths of fields the contract does not list. */
  readonly unknown: readonly string[];
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const decimal = /^-?(0|[1-9]\d*)$/;
const standardBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const anyBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const integerRanges: Readonly<Partial<Record<ScalarType, readonly [bigint, bigint]>>> = {
  [ScalarType.INT64]: [-(2n ** 63n), 2n ** 63n - 1n],
  [ScalarType.UINT64]: [0n, 2n ** 64n - 1n],
  [ScalarType.INT32]: [-(2n ** 31n), 2n ** 31n - 1n],
  [ScalarType.UINT32]: [0n, 2n ** 32n - 1n],
};

/** Judges the JSON form of a message against its descriptor: the contract's wire conventions, then ProtoJSON. */
export function judgeForm(message: DescMessage, json: JsonObject): FormReport {
  const known = reports.get(json);
  if (known !== undefined) return known;
  const report = walk(message, json);
  reports.set(json, report);
  return report;
}

/** A message is judged and observed by different rules; one walk serves them all. */
const reports = new WeakMap<JsonObject, FormReport>();

function walk(message: DescMessage, json: JsonObject): FormReport {
  const breaches: Breach[] = [];
  const unknown: string[] = [];
  walkMessage(message, json, "");
  return { breaches, unknown };

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
      breach("json.reply.nulls", at, "an unset field is left out", value);
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
        walkScalar(field.scalar, value, at);
    }
  }

  function walkElement(field: DescField & { fieldKind: "list" }, value: JsonValue, at: string): void {
    if (field.listKind === "message") walkNested(field.message, value, at);
    else if (field.listKind === "enum") walkEnum(field.enum, value, at);
    else walkScalar(field.scalar, value, at);
  }

  function walkEnum(
    type: { readonly values: readonly { readonly name: string }[] },
    value: JsonValue,
    at: string,
  ): void {
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
    unknown.push(
      ...Object.keys(value)
        .filter((key) => key !== "value")
        .map((key) => `${at}.${key}`),
    );
    if (value.value === undefined || value.value === "") return;
    if (!uuidV7.test(value.value)) breach("*.wire.uuid-v7", at, "a UUID of version 7", value.value);
  }

  function walkScalar(type: ScalarType, value: JsonValue, at: string): void {
    const range = integerRanges[type];
    switch (type) {
      case ScalarType.INT64:
      case ScalarType.UINT64:
        if (typeof value !== "string" || !decimal.test(value))
          breach("*.wire.int64", at, "a string of decimal digits", value);
        else if (range !== undefined && (BigInt(value) < range[0] || BigInt(value) > range[1])) {
          breach("json.reply.range", at, "a value of its 64-bit type", value);
        }
        return;
      case ScalarType.UINT32:
      case ScalarType.INT32:
        if (typeof value !== "number") breach("*.wire.u32", at, "a JSON number", value);
        else if (range !== undefined && (!Number.isInteger(value) || value < range[0] || value > range[1])) {
          breach("json.reply.range", at, "a value of its 32-bit type", value);
        }
        return;
      case ScalarType.BOOL:
        if (typeof value !== "boolean") breach("json.reply.scalars", at, "true or false", value);
        return;
      case ScalarType.STRING:
        if (typeof value !== "string") breach("json.reply.scalars", at, "a JSON string", value);
        else if (!value.isWellFormed())
          breach("json.reply.scalars", at, "a string without half surrogate pairs", value);
        return;
      case ScalarType.BYTES:
        if (typeof value !== "string" || !anyBase64.test(value)) breach("*.wire.bytes", at, "a base64 string", value);
        else if (!standardBase64.test(value)) breach("json.reply.base64", at, "standard base64 with padding", value);
        return;
      default:
        throw new Error(`the contract has no scalar of type ${ScalarType[type]}`);
    }
  }
}
