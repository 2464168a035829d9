import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import { bodyLength, toShow } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/** Replies with bodies up to this size are kept as they are, in bytes: nearly all honest ones are shorter. */
const longReply = 2 ** 16;

/** A message of the RPC without the fields that the contract's message does not have, which a client ignores (PJ-54). */
function knownPart(json: JsonObject, { output }: RpcRow): JsonObject {
  const known = new Set(output.fields.flatMap(({ name, jsonName }) => [name, jsonName]));
  return Object.fromEntries(Object.entries(json).filter(([name]) => known.has(name)));
}

/**
 * A reply to be held by whoever asked for it, once everything about its bytes is judged: of one with a long body the
 * beginning of that body, and of its message what the contract has. A case holds dozens, and many cases go on at a time.
 */
export function leanReply(reply: Reply): Reply {
  if (bodyLength(reply.exchange.response) <= longReply) return reply;
  const exchange = toShow(reply.exchange);
  const known = new Map(reply.messages.map(({ json }) => [json, knownPart(json, reply.row)]));
  const messages = reply.messages.map((message) => ({ ...message, json: known.get(message.json) ?? message.json }));
  if (reply.outcome !== "served") return { ...reply, exchange, messages };
  return { ...reply, exchange, messages, json: known.get(reply.json) ?? reply.json };
}
