import { gzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { compressedFlag, encodeEnvelope } from "../../harness/wire/envelope.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Attempt } from "./refusals.ts";

/** A gzip request from a client that accepts uncompressed replies only, or does not say what it accepts. */
export function compressed(row: RpcRow, json: Buffer, offer: "identity" | ""): CallOptions {
  const zipped = gzipSync(json);
  const prefix = row.stream ? "connect-" : "";
  return {
    body: row.stream ? encodeEnvelope(compressedFlag, zipped) : zipped,
    headers: [
      [`${prefix}content-encoding`, "gzip"],
      [`${prefix}accept-encoding`, offer],
    ],
  };
}

/** Who refuses a coding without reading the request knows no requestId to echo. */
export const unreadExempt: readonly string[] = ["wire/error-details-are-well-formed"];

/** The attempts once more as gzip requests: who looks at a body before it is unpacked sees nothing in it. Servers need not support it. */
export function compressedAttempts(
  { row, setup }: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  return attempts.map((attempt) => {
    const request: JsonObject = { ...valid, ...freshRequestId(row, setup), ...attempt.changes };
    const options = compressed(row, Buffer.from(JSON.stringify(request)), "identity");
    return {
      ...attempt,
      because: `${attempt.because}, and is compressed`,
      request,
      options: { ...attempt.options, ...options, exempt: unreadExempt },
      forAnyReason: true,
      oddForm: true,
    };
  });
}
