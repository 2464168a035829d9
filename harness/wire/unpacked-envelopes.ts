import { decodeContent, isBomb, maxDecodedBytes, unpackedSoFar } from "./coding.ts";
import { compressedFlag, decodeEnvelopes, type Envelope, type Envelopes } from "./envelope.ts";

/** An envelope of a stream with what its payload holds; undefined where that does not decode, or comes to too much. */
export interface UnpackedEnvelope extends Envelope {
  readonly bytes: Uint8Array | undefined;
}

/** The whole envelopes of a body, unpacked, and what is left of it. */
export interface UnpackedEnvelopes {
  readonly envelopes: readonly UnpackedEnvelope[];
  readonly rest: Envelopes["rest"];
}

/** What the envelopes of one body may come to in all, in bytes: what is packed after so much, or after a bomb, is not unpacked. */
const maxUnpackedBytes = 2 * maxDecodedBytes;

/** What a body may have come to if it is not to be unpacked for each who asks, in bytes: so much more is kept as long as it is. */
const maxKept = 2 ** 18;

/** What packed bodies came to: several rules look at one body, which never changes, and a bomb costs each of them dearly. */
const known = new WeakMap<Uint8Array, { readonly coding: string | undefined; readonly unpacked: UnpackedEnvelopes }>();

function unpack(body: Uint8Array, coding: string | undefined): UnpackedEnvelopes {
  const { envelopes, rest } = decodeEnvelopes(body);
  const before = unpackedSoFar();
  let isSpent = false;
  const unpacked = envelopes.map((envelope): UnpackedEnvelope => {
    const { flags, payload } = envelope;
    if ((flags & compressedFlag) === 0) return { ...envelope, bytes: payload };
    if (isSpent) return { ...envelope, bytes: undefined };
    const bytes = decodeContent(payload, coding);
    // A bomb is likely not the only one.
    isSpent = isBomb(payload, coding) || unpackedSoFar() - before >= maxUnpackedBytes;
    return { ...envelope, bytes };
  });
  return { envelopes: unpacked, rest };
}

/** Reads the whole envelopes of a body, and unpacks those that say they are compressed (CP-S-17). */
export function unpackEnvelopes(body: Uint8Array, coding: string | undefined): UnpackedEnvelopes {
  const kept = known.get(body);
  if (kept !== undefined && kept.coding === coding) return kept.unpacked;
  const before = unpackedSoFar();
  const unpacked = unpack(body, coding);
  // What nothing was unpacked of is as soon read again.
  if (unpackedSoFar() === before) return unpacked;
  const size = unpacked.envelopes.reduce((sum, { bytes }) => sum + (bytes?.byteLength ?? 0), 0);
  if (size <= maxKept) known.set(body, { coding, unpacked });
  return unpacked;
}
