import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { MalformedValue } from "./malformed-values.ts";
import { isUuid, shapeOf } from "./shape.ts";

/** A value of a wrong type, without the path of its field. */
type WrongType = Omit<MalformedValue, "field">;

/**
 * Values of a valid request in a wrong JSON type: an id as bare text, a value in a list of one. A server that coerces
 * types serves them; an invented value it would refuse anyway, for its content.
 */
export function wrongTypeValues(message: DescMessage, request: JsonObject): readonly MalformedValue[] {
  return message.fields.flatMap((field) => {
    const value = request[field.jsonName];
    if (value === undefined || value === null || field.fieldKind === "map") return [];
    const { kind, ...shape } = shapeOf(field);
    const own = Array.isArray(value) ? listWrongTypes(value, field) : valueWrongTypes(field, value);
    const placed = own.map((one) => ({ ...one, name: `${one.name}-${kind}`, field: field.jsonName }));
    const inner = "message" in shape ? shape.message : undefined;
    if (inner === undefined || isUuid(inner) || !isFilled(value)) return placed;
    const nested = wrongTypeValues(inner, value).map((one) => ({
      ...one,
      field: `${field.jsonName}.${one.field}`,
      value: { ...value, [one.field]: one.value },
    }));
    return [...placed, ...nested];
  });
}

function wrongType(name: string, row: string, value: JsonValue, why: string): WrongType {
  return { name, value, why, level: "protocol", row };
}

function listed(value: JsonValue): WrongType {
  return wrongType("listed", "PJ-09 … PJ-31", [value], "a singular field is no array");
}

function listWrongTypes([first]: readonly JsonValue[], field: DescField): readonly WrongType[] {
  if (first === undefined) return [];
  const bare = wrongType("bare", "PJ-28", first, "a repeated field is an array");
  if (field.message === undefined || !isUuid(field.message) || !isFilled(first)) return [bare];
  return [bare, wrongType("bare-element", "PJ-28", [first.value ?? ""], "an id in a list is an object, not its text")];
}

function valueWrongTypes(field: DescField, value: JsonValue): readonly WrongType[] {
  const shape = shapeOf(field);
  switch (shape.kind) {
    case "message":
      return isUuid(shape.message) && isFilled(value)
        ? [wrongType("bare", "PJ-31", value.value ?? "", "an id is an object, not its text")]
        : [listed(value)];
    case "string":
      return [wrongType("numeric", "PJ-15", 42, "a string is a JSON string, not a number"), listed(value)];
    case "bool":
      return [
        { ...wrongType("quoted", "PJ-14", String(value), "a bool is no JSON string"), level: "should" },
        listed(value),
      ];
    case "int64":
    case "uint64":
    case "uint32": {
      const range = 1n << (shape.kind === "uint32" ? 32n : 64n);
      // A target may show a version that is no number, and a request sends it back.
      const wrapped = /^-?\d+$/.test(String(value)) ? [String(BigInt(String(value)) + range)] : [];
      const why = "it is out of range, and what its lower bits say is not what was sent";
      return [
        // Behind a line break: who reads digits as far as they go, or a pattern line by line, takes the first line for all.
        wrongType("trailing-line", "PJ-10", `${value}\nx`, "a line break and a letter are no decimal text"),
        ...wrapped.map((text) => wrongType("wrapped", "PJ-10", text, why)),
        listed(value),
      ];
    }
    case "duration":
      // What follows the s is not tried: a stock runtime passes over it.
      return [wrongType("unitless", "PJ-26", String(value).replace(/s$/, ""), "a duration ends in s")];
    case "timestamp":
      return [
        wrongType("trailing-line", "PJ-24", `${value}\nx`, "nothing follows the zone of a timestamp"),
        listed(value),
      ];
    case "bytes":
      return [...spoiledBase64(String(value)), listed(value)];
    default:
      return [listed(value)];
  }
}

/** Texts that a decoder which passes over what it does not know takes for the value itself. */
function spoiledBase64(value: string): readonly WrongType[] {
  if (value === "") return [];
  const spoiled = `${value.slice(0, 4)}!*\u00e9${value.slice(4)}`;
  return [
    {
      ...wrongType("foreign-letters-mixed-in", "PJ-19", spoiled, "letters outside both base64 alphabets stand in it"),
      level: "should",
    },
  ];
}

function isFilled(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
