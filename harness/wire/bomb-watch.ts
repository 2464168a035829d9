import { isBomb, maxDecodedBytes } from "./coding.ts";
import { compressedFlag } from "./envelope.ts";
import type { WireFailure } from "./exchange.ts";

/** The failure of a stream with an envelope that comes to too much: what follows is not read. */
export const bomb: WireFailure = {
  kind: "too-large",
  message: `an envelope of the stream comes to more than ${maxDecodedBytes} bytes once it is unpacked`,
};

const headLength = 5;

/**
 * Watches the pieces of a stream while it goes on. Whoever sends an envelope that comes to too much likely sends many, each of which
 * would be kept, and unpacked by whoever looks.
 *
 * @param coding what the stream says its envelopes are compressed with
 * @returns takes the next piece; true once an envelope has come whole that comes to too much
 */
export function createBombWatch(coding: string | undefined): (bytes: Uint8Array) => boolean {
  if (coding === undefined) return () => false;
  const head = new Uint8Array(headLength);
  let headSize = 0;
  let left = 0;
  /** The payload so far, of an envelope that says it is compressed. */
  let packed: Uint8Array[] | undefined;

  /** Whether the envelope that has come whole is a bomb; what follows is the head of another. */
  function close(): boolean {
    headSize = 0;
    const payload = packed === undefined ? undefined : Buffer.concat(packed);
    packed = undefined;
    return payload !== undefined && isBomb(payload, coding);
  }

  return (bytes) => {
    let at = 0;
    while (at < bytes.byteLength) {
      if (headSize < headLength) {
        head[headSize] = bytes[at] ?? 0;
        headSize += 1;
        at += 1;
        if (headSize < headLength) continue;
        left = new DataView(head.buffer).getUint32(1);
        packed = ((head[0] ?? 0) & compressedFlag) === 0 ? undefined : [];
      } else {
        // Copied, as the buffer is used again by whoever reads the connection.
        const part = bytes.slice(at, at + left);
        packed?.push(part);
        at += part.byteLength;
        left -= part.byteLength;
      }
      if (left === 0 && close()) return true;
    }
    return false;
  };
}
