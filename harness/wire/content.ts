import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { isDefault, sameJson } from "./json.ts";
import type { Reply } from "./reply.ts";

/**
 * True for a served reply with content: some field of a message holds a value. A degenerate server that answers every
 * call with an empty object has none. A listing may be empty, and a watch that ended may have sent nothing.
 */
export function hasContent({ outcome, row, messages, exchange }: Reply): boolean {
  if (outcome !== "served") return false;
  if (row.list !== undefined || (row.effect === Effect.WATCH && exchange.response?.ended === true)) return true;
  return messages.some(({ json }) => row.output.fields.some(({ jsonName }) => !isDefault(json[jsonName])));
}

/**
 * True for a reply in which some field of a message holds a value that the request did not bring: no degenerate server says
 * so much of itself.
 */
export function showsSomething({ row, request, messages }: Pick<Reply, "row" | "request" | "messages">): boolean {
  return messages.some(({ json }) =>
    row.output.fields.some(
      ({ jsonName }) => !isDefault(json[jsonName]) && !sameJson(json[jsonName], request[jsonName]),
    ),
  );
}

/**
 * True for an RPC whose reply may hold nothing at all: what a fixture puts out is not shown, and its output may be empty. Such
 * a reply says something only of a target that shows something elsewhere.
 */
export function mayBeEmpty({ fixture, record }: RpcRow): boolean {
  return fixture && record === undefined;
}
