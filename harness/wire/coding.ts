import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** What a body may come to once it is decoded, in bytes: decoding stops there, however little came over the wire. */
export const maxDecodedBytes = 4 * 2 ** 20;

/** What bytes decoded to: several rules look at one body, which never changes. */
const known = new WeakMap<Uint8Array, { readonly coding: string; readonly bytes: Uint8Array | undefined }>();

function decode(bytes: Uint8Array, coding: string): Uint8Array | undefined {
  const options = { maxOutputLength: maxDecodedBytes };
  try {
    switch (coding) {
      case "gzip":
        return gunzipSync(bytes, options);
      case "br":
        return brotliDecompressSync(bytes, options);
      case "deflate":
        return inflateSync(bytes, options);
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/**
 * Undoes a content coding. Returns undefined where the bytes do not decode, come to more than `maxDecodedBytes`, or the
 * coding is unknown.
 */
export function decodeContent(bytes: Uint8Array, coding: string | undefined): Uint8Array | undefined {
  if (coding === undefined || coding === "identity" || bytes.byteLength === 0) return bytes;
  const decoded = known.get(bytes);
  if (decoded?.coding === coding) return decoded.bytes;
  const made = decode(bytes, coding);
  known.set(bytes, { coding, bytes: made });
  return made;
}
