import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** The content codings of requests that are undone, by their names. */
const decoders = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/**
 * A body with its content coding undone: as it came where it names none that is known, does not decode, or comes to more than
 * `maxBytes`, at which decoding stops, however little was sent.
 */
export function unpacked(body: Uint8Array, coding: string | undefined, maxBytes: number): Uint8Array {
  const decode = decoders.get(coding?.trim().toLowerCase() ?? "");
  if (decode === undefined || body.byteLength === 0) return body;
  try {
    return new Uint8Array(decode(body, { maxOutputLength: maxBytes }));
  } catch {
    return body;
  }
}
