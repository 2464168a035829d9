import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Malformation } from "./malformed.ts";
import { isUuid, shapeOf } from "./shape.ts";

/** A misfit without its place. */
type Misfit = Omit<Malformation, "field">;

/**
 * Values that hold the right thing in the wrong JSON form, made from a request that is served: an id without its
 * message, a value in a list of one. A server that coerces serves them, where it would refuse a made-up value for what
 * it says.
 */
export function misfitsOf(message: DescMessage, request: JsonObject): readonly Malformation[] {
  return message.fields.flatMap((field) => {
    const value = request[field.jsonName];
    if (value === undefined || value === null || field.fieldKind === "map") return [];
    const { kind, ...shape } = shapeOf(field);
    const own = Array.isArray(value) ? listMisfits(value) : valueMisfits(field, value);
    const placed = own.map((misfit) => ({ ...misfit, name: `${misfit.name}-${kind}`, field: field.jsonName }));
    const inner = "message" in shape ? shape.message : undefined;
    if (inner === undefined || isUuid(inner) || !isFilled(value)) return placed;
    const below = misfitsOf(inner, value).map((misfit) => ({
      ...misfit,
      field: `${field.jsonName}.${misfit.field}`,
      value: { ...value, [misfit.field]: misfit.value },
    }));
    return [...placed, ...below];
  });
}

function misfit(name: string, row: string, value: JsonValue, why: string): Misfit {
  return { name, value, why, level: "protocol", row };
}

function listed(value: JsonValue): Misfit {
  return misfit("listed", "PJ-09 … PJ-31", [value], "a singular field is no array");
}

function listMisfits([first]: readonly JsonValue[]): readonly Misfit[] {
  return first === undefined ? [] : [misfit("bare", "PJ-28", first, "a repeated field is an array")];
}

function valueMisfits(field: DescField, value: JsonValue): readonly Misfit[] {
  const shape = shapeOf(field);
  switch (shape.kind) {
    case "message":
      return isUuid(shape.message) && isFilled(value)
        ? [misfit("bare", "PJ-31", value.value ?? "", "an id is an object, not its text")]
        : [listed(value)];
    case "string":
      return [misfit("numeric", "PJ-15", 42, "a string is a JSON string, not a number"), listed(value)];
    case "bool":
      return [
        { ...misfit("quoted", "PJ-14", String(value), "a bool is no JSON string"), level: "should" },
        listed(value),
      ];
    case "int64":
    case "uint64":
    case "uint32":
      return [misfit("trailing-letter", "PJ-10", `${value}x`, "a letter is no decimal text"), listed(value)];
    case "duration":
      return [misfit("unitless", "PJ-26", String(value).replace(/s$/, ""), "a duration ends in s")];
    default:
      return [listed(value)];
  }
}

function isFilled(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
