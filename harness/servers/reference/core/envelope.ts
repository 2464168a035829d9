/** The flag of an envelope whose payload is compressed. */
export const compressedFlag = 1;

/** The flag of an envelope that ends a stream. */
export const endStreamFlag = 2;

/** One envelope of a stream, taken apart. */
export interface Envelope {
  readonly flags: number;
  readonly data: Uint8Array;
}

/** The bytes of an envelope: flags, big-endian length, payload. */
export function encodeEnvelope(flags: number, data: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}

/** The envelopes in a body, whatever pieces it comes in. An unfinished one at the end is left out. */
export async function* splitEnvelopes(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Envelope> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      yield { flags: rest.readUInt8(0), data: rest.subarray(5, end) };
      rest = rest.subarray(end);
    }
  }
}
