import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { isDefault } from "./json.ts";
import type { Reply } from "./reply.ts";

/**
 * True for a served reply with content: some field of a message holds a value. A degenerate server that answers every
 * call with an empty object has none. A listing may be empty, and a watch that ended may have sent nothing.
 */
export function hasContent({ outcome, row, messages, exchange }: Reply): boolean {
  if (outcome !== "served") return false;
  if (row.list !== undefined || (row.effect === Effect.WATCH && exchange.response?.ended === true)) return true;
  return showsSomething({ row, messages });
}

/** True for a reply in which some field of a message holds a value: no degenerate server says so much of itself. */
export function showsSomething({ row, messages }: Pick<Reply, "row" | "messages">): boolean {
  return messages.some(({ json }) => row.output.fields.some((field) => !isDefault(json[field.jsonName])));
}

/**
 * True for an RPC whose reply may hold nothing at all: what a fixture puts out is not shown, and its output may be empty. Such
 * a reply says something only of a target that shows something elsewhere.
 */
export function mayBeEmpty({ fixture, record }: RpcRow): boolean {
  return fixture && record === undefined;
}
