import { encodeEnvelope } from "../../harness/wire/envelope.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** The body of a call that sends JSON as it stands: that of a stream is one envelope. */
export function requestBody(row: RpcRow, json: string | Uint8Array): string | Uint8Array {
  return row.stream ? encodeEnvelope(0, Buffer.from(json)) : json;
}
