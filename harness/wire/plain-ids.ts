import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Paths of what was taken out of ids, by the message they stood in. */
const takenOut = new WeakMap<JsonObject, readonly string[]>();

/** True for a UUID object that has something beside its value. */
function hasMore(json: JsonObject): boolean {
  return typeof json.value === "string" && uuid.test(json.value) && Object.keys(json).length > 1;
}

/** A path as findings have it: `ids[1].value`. */
function written(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/**
 * Takes out of the UUID objects of a message, in place, what stands beside their value: an id is the same whatever a newer
 * server says of it, and is sent back as the contract has it (PJ-54). The message is returned.
 */
export function withPlainIds(message: JsonObject): JsonObject {
  const taken: string[] = [];
  // Written out only where something is taken: every reply is gone through, and next to none has anything.
  const path: (string | number)[] = [];
  const visit = (json: JsonValue): void => {
    if (typeof json !== "object" || json === null) return;
    if (!Array.isArray(json) && hasMore(json)) {
      for (const key of Object.keys(json).filter((one) => one !== "value")) {
        taken.push(written([...path, key]));
        Reflect.deleteProperty(json, key);
      }
      return;
    }
    for (const [key, item] of Array.isArray(json) ? json.entries() : Object.entries(json)) {
      path.push(key);
      visit(item);
      path.pop();
    }
  };
  visit(message);
  if (taken.length > 0) takenOut.set(message, taken);
  return message;
}

/** Paths of what was taken out of the ids of a message: fields that the contract does not have. */
export function takenOutOf(message: JsonObject): readonly string[] {
  return takenOut.get(message) ?? [];
}
