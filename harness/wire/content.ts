import { Effect } from "../../proto/rpcs.ts";
import { isDefault } from "./json.ts";
import type { Reply } from "./reply.ts";

/**
 * True for a served reply that says something: a field of its message holds a value. What a server answers that
 * serves nothing, or an empty object to everything, tells nothing; a listing may be empty, and a watch have nothing to add.
 */
export function hasContent({ outcome, row, messages, exchange }: Reply): boolean {
  if (outcome !== "served") return false;
  if (row.list !== undefined || (row.effect === Effect.WATCH && exchange.response?.ended === true)) return true;
  return messages.some(({ json }) => row.output.fields.some((field) => !isDefault(json[field.jsonName])));
}
