import { hash } from "node:crypto";

/** A seeded random source: the same seed, namespace and order of calls give the same values. */
export interface Random {
  /** A UUID of version 7, lower case; its time is the source's `now`. */
  uuidv7(): string;
  /** A token of `length` lower-case letters and digits. */
  token(length: number): string;
  bytes(length: number): Uint8Array;
  /** An integer from `min` to `max`, both included. Throws RangeError where there is none. */
  integer(min: number, max: number): number;
  /**
   * An independent source for one case or one evaluation. Its values depend on its label, not on earlier calls, so that
   * concurrent cases are repeatable.
   */
  derive(label: string): Random;
}

export interface RandomOptions {
  /** Unique to the run, so that repeating a seed does not meet the ids of the run before. Default: empty. */
  readonly namespace?: string;
  /** Milliseconds since 1970 for the ids. Default: the start of 2026, always. */
  readonly now?: () => number;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
const defaultNow = () => Date.UTC(2026, 0, 1);

/** The random source of a run: request ids, names, tokens and all other invented values come from it. */
export function createRandom(seed: number, options: RandomOptions = {}): Random {
  return randomOf(JSON.stringify([seed, options.namespace ?? ""]), options.now ?? defaultNow);
}

function randomOf(key: string, now: () => number): Random {
  let block = 0;
  let pool: Uint8Array = new Uint8Array();
  /** Where the bytes of the pool begin that were not taken yet. */
  let next = 0;

  // SHA-256 over a counter: plain, quick enough, and streams of different labels are unrelated.
  function bytes(length: number): Uint8Array {
    const taken = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      if (next === pool.length) [pool, next] = [hash("sha256", `${key}#${block++}`, "buffer"), 0];
      const piece = pool.subarray(next, next + length - filled);
      taken.set(piece, filled);
      [filled, next] = [filled + piece.length, next + piece.length];
    }
    return taken;
  }

  function integer(min: number, max: number): number {
    const span = max - min + 1;
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(span) || span < 1) {
      throw new RangeError(`no whole number from ${min} to ${max}`);
    }
    // 64 bits over a span below 2^53: the bias is far too small to matter for test data.
    const bits = Buffer.from(bytes(8)).readBigUInt64BE();
    return min + Number(bits % BigInt(span));
  }

  return {
    bytes,
    integer,
    // A byte a letter: some letters come a little more often, which test data does not mind.
    token: (length) => Array.from(bytes(length), (byte) => alphabet[byte % alphabet.length]).join(""),
    derive: (label) => randomOf(JSON.stringify([key, label]), now),
    uuidv7() {
      const time = Math.trunc(now()).toString(16).padStart(12, "0");
      const random = Buffer.from(bytes(10));
      random.writeUInt8((random.readUInt8(0) & 0x0f) | 0x70, 0);
      random.writeUInt8((random.readUInt8(2) & 0x3f) | 0x80, 2);
      const hex = time + random.toString("hex");
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
    },
  };
}
