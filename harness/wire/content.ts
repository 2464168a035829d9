import { Effect } from "../../proto/rpcs.ts";
import { isDefault } from "./json.ts";
import type { Reply } from "./reply.ts";

/**
 * True for a served reply with content: some field of a message holds a value. A degenerate server that answers every
 * call with an empty object has none. A listing may be empty, and a watch that ended may have sent nothing.
 */
export function hasContent({ outcome, row, messages, exchange }: Reply): boolean {
  if (outcome !== "served") return false;
  if (row.list !== undefined || (row.effect === Effect.WATCH && exchange.response?.ended === true)) return true;
  return messages.some(({ json }) => row.output.fields.some((field) => !isDefault(json[field.jsonName])));
}
