import { type Chunk, type Header, headerOf, sharedBytes } from "./exchange.ts";

/** A response body as it arrives. */
export interface BodyCollector {
  /** Takes a piece, which is copied, at so many milliseconds since the request was sent; the piece as it is kept. */
  add(bytes: Uint8Array, at: number): Chunk;
  /**
   * What came, in order. A body of countless pieces is kept in fewer: what came within a few milliseconds is one. Of a body
   * that is too large only the beginning is kept.
   */
  chunks(): readonly Chunk[];
  /** Says what a body may have once it is known whose it is, and the headers of its response. */
  begin(maxBytes: number, headers: readonly Header[]): void;
  /** Whether more has come than a body may have; what comes from then on is not kept. */
  readonly isTooLarge: boolean;
}

/** What is kept of a body that is too large, in bytes: it cannot be read, only shown. */
const keptOfTooLarge = 65_536;

/** The first bytes of a body. */
function beginning(chunks: readonly Chunk[], length: number): readonly Chunk[] {
  let left = length;
  return chunks.flatMap(({ at, bytes }) => {
    // A copy: a part of an array keeps all of it.
    const kept = bytes.slice(0, Math.max(0, left));
    left -= bytes.byteLength;
    return kept.byteLength === 0 ? [] : [{ at, bytes: kept }];
  });
}

/** Pieces that are parts of one array: whoever wants the body in one piece need not copy it. */
function contiguous(chunks: readonly Chunk[]): readonly Chunk[] {
  if (chunks.length < 2 || sharedBytes(chunks) !== undefined) return chunks;
  const whole = Buffer.concat(chunks.map(({ bytes }) => bytes));
  let start = 0;
  return chunks.map(({ at, bytes }) => {
    const part = { at, bytes: new Uint8Array(whole.buffer, whole.byteOffset + start, bytes.byteLength) };
    start += bytes.byteLength;
    return part;
  });
}

/** Pieces that are kept one by one. Beyond them, those that come within so many milliseconds are put together. */
const [maxApart, togetherMs] = [64, 5];

/** A piece as long as this is kept as it is: there cannot be many of them. */
const longBytes = 16_384;

/** A body that is announced as long as this, in bytes, is kept in memory of its own. */
const ownMemoryBytes = 2 ** 17;

/**
 * What a body of an announced length goes to, as it comes; undefined for a short one, and where nothing is announced. What can be
 * resized stands beside all other memory, and goes back whole: long bodies in pieces from among the rest leave holes, a hundred
 * megabytes in a run.
 */
function memoryFor(headers: readonly Header[], maxBytes: number): ArrayBuffer | undefined {
  const announced = Math.min(Number(headerOf(headers, "content-length")), maxBytes);
  return announced >= ownMemoryBytes ? new ArrayBuffer(0, { maxByteLength: announced }) : undefined;
}

/** A copy of some bytes; at the end of such memory, while it has room. */
function copied(bytes: Uint8Array, memory: ArrayBuffer | undefined): Uint8Array {
  const start = memory?.byteLength ?? 0;
  if (memory === undefined || start + bytes.byteLength > memory.maxByteLength) return new Uint8Array(bytes);
  memory.resize(start + bytes.byteLength);
  const copy = new Uint8Array(memory, start, bytes.byteLength);
  copy.set(bytes);
  return copy;
}

/** Pieces that are being put together. Its bytes double where they are too few, so that each byte is copied twice at most. */
interface Joined {
  since: number;
  at: number;
  bytes: Uint8Array;
  used: number;
}

const chunkOf = ({ at, bytes, used }: Joined): Chunk => ({ at, bytes: bytes.slice(0, used) });

/**
 * Collects a body in as little memory as its bytes need, however small the pieces are that it comes in.
 *
 * @param maxBytes what a body may have, unless something else is said before it comes
 */
export function createBodyCollector(maxBytes: number): BodyCollector {
  let allowed = maxBytes;
  const pieces: Chunk[] = [];
  let joined: Joined | undefined;
  let size = 0;
  let memory: ArrayBuffer | undefined;

  function close(): void {
    if (joined !== undefined) pieces.push(chunkOf(joined));
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
      if (size > allowed) return { at, bytes: received };
      if (pieces.length >= maxApart && received.byteLength < longBytes) {
        memory = undefined;
        join(received, at);
        return { at, bytes: received };
      }
      close();
      // The buffer it stands in is used again by whoever reads the connection.
      const chunk = { at, bytes: copied(received, memory) };
      pieces.push(chunk);
      return chunk;
    },
    begin(bytes, headers) {
      allowed = bytes;
      memory = memoryFor(headers, bytes);
    },
    get isTooLarge() {
      return size > allowed;
    },
    chunks() {
      close();
      return contiguous(size > allowed ? beginning(pieces, keptOfTooLarge) : pieces);
    },
  };
}
