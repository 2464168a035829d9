import { decodeContent, maxDecodedBytes, unpackedSoFar } from "./coding.ts";
import { compressedFlag, decodeEnvelopes, type Envelope, type Envelopes } from "./envelope.ts";

/** An envelope of a stream with what its payload holds; undefined where that does not decode, or comes to too much. */
export interface UnpackedEnvelope extends Envelope {
  readonly bytes: Uint8Array | undefined;
}

/** What the envelopes of one body may come to in all, in bytes: what is packed after so much, or after a bomb, is not unpacked. */
const maxUnpackedBytes = 2 * maxDecodedBytes;

/** Reads the whole envelopes of a body, and unpacks those that say they are compressed (CP-S-17). */
export function unpackEnvelopes(
  body: Uint8Array,
  coding: string | undefined,
): { readonly envelopes: readonly UnpackedEnvelope[]; readonly rest: Envelopes["rest"] } {
  const { envelopes, rest } = decodeEnvelopes(body);
  const before = unpackedSoFar();
  let isSpent = false;
  const unpacked = envelopes.map((envelope): UnpackedEnvelope => {
    const { flags, payload } = envelope;
    if ((flags & compressedFlag) === 0) return { ...envelope, bytes: payload };
    if (isSpent) return { ...envelope, bytes: undefined };
    const first = unpackedSoFar();
    const bytes = decodeContent(payload, coding);
    // What came to too much by itself is a bomb, and likely not the only one.
    const isBomb = bytes === undefined && unpackedSoFar() - first >= maxDecodedBytes;
    isSpent = isBomb || unpackedSoFar() - before >= maxUnpackedBytes;
    return { ...envelope, bytes };
  });
  return { envelopes: unpacked, rest };
}
