import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** What a body may come to once it is decoded, in bytes: decoding stops there, however little came over the wire. */
export const maxDecodedBytes = 4 * 2 ** 20;

interface Decoded {
  readonly coding: string;
  readonly bytes: Uint8Array | undefined;
  readonly isTooLarge: boolean;
}

/** What bytes decoded to: several rules look at one body, which never changes. */
const known = new WeakMap<Uint8Array, Decoded>();

/** Bytes that were unpacked so far in this thread, those of what came to too much among them. */
let unpacked = 0;

/** How many bytes were unpacked in this thread so far: each leaves several times as much to be collected. */
export const unpackedSoFar = () => unpacked;

const decoders = new Map([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["deflate", inflateSync],
]);

function decode(bytes: Uint8Array, coding: string): Decoded {
  try {
    const decoded = decoders.get(coding)?.(bytes, { maxOutputLength: maxDecodedBytes });
    unpacked += decoded?.byteLength ?? 0;
    return { coding, bytes: decoded, isTooLarge: false };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) unpacked += maxDecodedBytes;
    return { coding, bytes: undefined, isTooLarge };
  }
}

function decodedOf(bytes: Uint8Array, coding: string): Decoded {
  const kept = known.get(bytes);
  if (kept?.coding === coding) return kept;
  const made = decode(bytes, coding);
  known.set(bytes, made);
  return made;
}

const isPlain = (bytes: Uint8Array, coding: string) => coding === "identity" || bytes.byteLength === 0;

/**
 * Undoes a content coding. Returns undefined where the bytes do not decode, come to more than `maxDecodedBytes`, or the
 * coding is unknown.
 */
export function decodeContent(bytes: Uint8Array, coding: string | undefined): Uint8Array | undefined {
  return coding === undefined || isPlain(bytes, coding) ? bytes : decodedOf(bytes, coding).bytes;
}

/** Whether bytes come to more than `maxDecodedBytes` once a content coding is undone. */
export function isBomb(bytes: Uint8Array, coding: string | undefined): boolean {
  return coding !== undefined && !isPlain(bytes, coding) && decodedOf(bytes, coding).isTooLarge;
}
