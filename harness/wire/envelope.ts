/** Flag bit: the payload is compressed. */
export const compressedFlag = 0x01;
/** Flag bit: the payload is the end-stream message. */
export const endStreamFlag = 0x02;

/** One envelope of a stream: flags, then the payload (docs/contract/connect-protocol.md#streams). */
export interface Envelope {
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** What a body of envelopes reads as; `rest` is what follows the last whole envelope. */
export interface Envelopes {
  readonly envelopes: readonly Envelope[];
  readonly rest: Uint8Array;
}

/** Frames one payload: flag byte, 32-bit big-endian length, payload. */
export function encodeEnvelope(flags: number, payload: Uint8Array): Uint8Array {
  const framed = new Uint8Array(5 + payload.byteLength);
  framed[0] = flags;
  new DataView(framed.buffer).setUint32(1, payload.byteLength);
  framed.set(payload, 5);
  return framed;
}

/** Envelopes that are read of one body: a stream of the contract has a few messages, and what follows so many is `rest`. */
export const maxEnvelopes = 10_000;

/** Reads the whole envelopes of a body. Our own reader: the reference is served by another implementation. */
export function decodeEnvelopes(body: Uint8Array, most = maxEnvelopes): Envelopes {
  const envelopes: Envelope[] = [];
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let offset = 0;
  while (offset + 5 <= body.byteLength && envelopes.length < most) {
    const end = offset + 5 + view.getUint32(offset + 1);
    if (end > body.byteLength) break;
    envelopes.push({ flags: view.getUint8(offset), payload: body.subarray(offset + 5, end) });
    offset = end;
  }
  return { envelopes, rest: body.subarray(offset) };
}
