import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** True for a JSON object: no list, no null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
