import { isDefault } from "./json.ts";
import type { Reply } from "./wire/reply.ts";

/**
 * True for a served reply that says something: a field of its message holds a value. What a server answers that
 * serves nothing, or an empty object to everything, tells nothing; a listing may be empty.
 */
export function isTelling({ outcome, row, messages }: Reply): boolean {
  if (outcome !== "served") return false;
  if (row.list !== undefined) return true;
  return messages.some(({ json }) => row.output.fields.some((field) => !isDefault(json[field.jsonName])));
}
