import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Malformation } from "./malformed.ts";
import { isUuid, shapeOf } from "./shape.ts";

/**
 * Values that hold the right thing in the wrong JSON form, made from a request that is served: an id without its
 * message, a value in a list of one. A server that coerces serves them, where it would refuse a made-up value for what
 * it says. All are `protocol`.
 */
export function misfitsOf(message: DescMessage, request: JsonObject): readonly Malformation[] {
  return message.fields.flatMap((field) => {
    const { jsonName } = field;
    const value = request[jsonName];
    if (value === undefined || value === null) return [];
    const { kind } = shapeOf(field);
    const misfit = (name: string, row: string, changed: JsonValue, why: string): Malformation => ({
      name: `${name}-${kind}`,
      field: jsonName,
      value: changed,
      why,
      level: "protocol",
      row,
    });
    if (field.fieldKind === "map") return [];
    if (Array.isArray(value)) {
      const [first] = value;
      return first === undefined ? [] : [misfit("bare", "PJ-28", first, "a repeated field is an array")];
    }
    const listed = misfit("listed", "PJ-09 … PJ-31", [value], "a singular field is no array");
    switch (kind) {
      case "message":
        return field.message !== undefined && isUuid(field.message)
          ? [misfit("bare", "PJ-31", idText(value), "an id is an object, not its text"), listed]
          : [listed];
      case "int64":
      case "uint64":
      case "uint32":
        return [
          misfit("wrapped", "PJ-10", { value }, "an integer is its decimal text or a number, not an object"),
          misfit("trailing-letter", "PJ-10", `${value}x`, "a letter is no decimal text"),
          listed,
        ];
      case "duration":
        return [misfit("unitless", "PJ-26", String(value).replace(/s$/, ""), "a duration ends in s"), listed];
      default:
        return [listed];
    }
  });
}

function idText(value: JsonValue): JsonValue {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value.value ?? "") : value;
}
