import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** What a body may come to once it is decoded, in bytes: decoding stops there, however little came over the wire. */
export const maxDecodedBytes = 4 * 2 ** 20;

/** What bytes decoded to: several rules look at one body, which never changes. */
const known = new WeakMap<Uint8Array, { readonly coding: string; readonly bytes: Uint8Array | undefined }>();

/** Bytes that were unpacked so far in this thread, those of what came to too much among them. */
let unpacked = 0;

/** How many bytes were unpacked in this thread so far: each leaves several times as much to be collected. */
export const unpackedSoFar = () => unpacked;

const isTooLarge = (error: unknown) => (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";

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
  } catch (error) {
    if (isTooLarge(error)) unpacked += maxDecodedBytes;
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
  unpacked += made?.byteLength ?? 0;
  known.set(bytes, { coding, bytes: made });
  return made;
}
