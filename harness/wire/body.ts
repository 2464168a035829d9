import type { Chunk } from "./exchange.ts";

/** A response body as it arrives. */
export interface BodyCollector {
  /** Takes a piece, which is copied, at so many milliseconds since the request was sent; the piece as it is kept. */
  add(bytes: Uint8Array, at: number): Chunk;
  /** Bytes so far. */
  readonly size: number;
  /** What came, in order. A body of countless pieces is kept in fewer: what came within a few milliseconds is one. */
  readonly chunks: readonly Chunk[];
}

/** Pieces that are kept one by one. Beyond them, those that come within so many milliseconds are put together. */
const [maxApart, togetherMs] = [64, 5];

/** A piece as long as this is kept as it is: there cannot be many of them. */
const longBytes = 16_384;

/** Pieces that are being put together. Its bytes double where they are too few, so that each byte is copied twice at most. */
interface Joined {
  since: number;
  at: number;
  bytes: Uint8Array;
  used: number;
}

const chunkOf = ({ at, bytes, used }: Joined): Chunk => ({ at, bytes: bytes.slice(0, used) });

/** Collects a body in as little memory as its bytes need, however small the pieces are that it comes in. */
export function createBodyCollector(): BodyCollector {
  const chunks: Chunk[] = [];
  let joined: Joined | undefined;
  let size = 0;

  function close(): void {
    if (joined !== undefined) chunks.push(chunkOf(joined));
    joined = undefined;
  }

  function join(bytes: Uint8Array, at: number): void {
    if (joined !== undefined && at - joined.since > togetherMs) close();
    joined ??= { since: at, at, bytes: new Uint8Array(Math.max(64, bytes.byteLength)), used: 0 };
    const needed = joined.used + bytes.byteLength;
    if (needed > joined.bytes.byteLength) {
      const larger = new Uint8Array(Math.max(needed, 2 * joined.bytes.byteLength));
      larger.set(joined.bytes.subarray(0, joined.used));
      joined.bytes = larger;
    }
    joined.bytes.set(bytes, joined.used);
    joined.used = needed;
    joined.at = at;
  }

  return {
    add(received, at) {
      size += received.byteLength;
      if (chunks.length >= maxApart && received.byteLength < longBytes) {
        join(received, at);
        return { at, bytes: received };
      }
      close();
      // The buffer it stands in is used again by whoever reads the connection.
      const chunk = { at, bytes: new Uint8Array(received) };
      chunks.push(chunk);
      return chunk;
    },
    get size() {
      return size;
    },
    get chunks() {
      close();
      return chunks;
    },
  };
}
