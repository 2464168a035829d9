import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Paths of what was taken out of ids, by the message they stood in. */
const takenOut = new WeakMap<JsonObject, readonly string[]>();

/** True for a UUID object that has something beside its value. */
function hasMore(json: JsonObject): boolean {
  return typeof json.value === "string" && uuid.test(json.value) && Object.keys(json).length > 1;
}

/**
 * Takes out of the UUID objects of a message, in place, what stands beside their value: an id is the same whatever a newer
 * server says of it, and is sent back as the contract has it (PJ-54). The message is returned.
 */
export function withPlainIds(message: JsonObject): JsonObject {
  const taken: string[] = [];
  const visit = (json: JsonValue, at: string): void => {
    if (Array.isArray(json)) for (const [index, item] of json.entries()) visit(item, `${at}[${index}]`);
    else if (typeof json === "object" && json !== null) {
      if (hasMore(json)) {
        for (const key of Object.keys(json).filter((one) => one !== "value")) {
          taken.push(`${at}.${key}`);
          Reflect.deleteProperty(json, key);
        }
      } else for (const key of Object.keys(json)) visit(json[key] ?? null, at === "" ? key : `${at}.${key}`);
    }
  };
  visit(message, "");
  if (taken.length > 0) takenOut.set(message, taken);
  return message;
}

/** Paths of what was taken out of the ids of a message: fields that the contract does not have. */
export function takenOutOf(message: JsonObject): readonly string[] {
  return takenOut.get(message) ?? [];
}
