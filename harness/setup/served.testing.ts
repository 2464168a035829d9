import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";

/** A reply as if a row had served a message. */
export function served(row: RpcRow, json: JsonObject, request: JsonObject = {}): Reply {
  const exchange = {
    number: 1,
    rpc: row.name,
    request: { method: "POST", url: "", headers: [], body: new Uint8Array() },
    response: undefined,
    failure: undefined,
    startedAt: 0,
    durationMs: 0,
  };
  return { outcome: "served", row, request, json, exchange, messages: [{ json, at: 0 }] };
}
