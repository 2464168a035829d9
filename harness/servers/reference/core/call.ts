import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "./context.ts";

/** A call in the making: what the HTTP layer knows of it. */
export interface OpenCall extends Call {
  /** The request body as far as it was read. */
  readonly received: Uint8Array[];
  /** Whether a handler saw the request; errors before that are connect-es's own. */
  reached: boolean;
}

/** The JSON object in `bytes`, or undefined. */
export function readJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const json = JSON.parse(Buffer.from(bytes).toString("utf8")) as JsonValue;
    return typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Undoes a content coding. Throws on bytes that are not of that coding. */
export function decompress(bytes: Uint8Array, coding: string | undefined): Uint8Array {
  if (bytes.length === 0) return bytes;
  if (coding === "gzip") return gunzipSync(bytes);
  if (coding === "br") return brotliDecompressSync(bytes);
  return bytes;
}

/** Begins a call. Its `request` is parsed when first asked for. */
export function openCall(row: RpcRow, headers: Readonly<Record<string, string>>, origin: string): OpenCall {
  const received: Uint8Array[] = [];
  const parse = (): JsonObject => {
    const body = Buffer.concat(received);
    try {
      if (!row.stream) return readJsonObject(decompress(body, headers["content-encoding"])) ?? {};
      const coding = body[0] === 1 ? headers["connect-content-encoding"] : undefined;
      return readJsonObject(decompress(body.subarray(5), coding)) ?? {};
    } catch {
      return {};
    }
  };
  let parsed: JsonObject | undefined;
  return {
    rpc: row.name,
    row,
    headers,
    origin,
    received,
    reached: false,
    get request() {
      if (received.length === 0) return {};
      parsed ??= parse();
      return parsed;
    },
  };
}
