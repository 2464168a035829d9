import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { compressed, unreadExempt } from "../common/compressed.ts";

/** Long enough for any reply, in milliseconds. */
const timeoutMs = 20_000;

/** The same call in other forms of HTTP: a server that keeps whole replies may keep one for each, or mask that of the usual form alone. */
export const replayForms = (row: RpcRow, request: JsonObject): readonly CallOptions[] => [
  {
    headers: [
      ["accept-encoding", "gzip, br"],
      ["connect-timeout-ms", String(timeoutMs)],
    ],
  },
  // Neither a compressed request nor parameters of its media type need be supported: a refusal has no plaintext, either.
  { ...compressed(row, Buffer.from(JSON.stringify(request)), "identity"), exempt: unreadExempt },
  { headers: [["content-type", "application/json; charset=utf-8"]], exempt: unreadExempt },
];
