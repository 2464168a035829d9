import { randomInt } from "node:crypto";

/** A stream of random values, the same for the same seed. Not for production secrets. */
export interface Random {
  /** An integer in `[0, 2^32)`. */
  uint32(): number;
  /** An integer in `[least, most]`. */
  between(least: number, most: number): number;
  bytes(length: number): Uint8Array;
  /** Letters and digits, for tokens in headers and URLs. */
  token(length: number): string;
}

const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A generator (sfc32) started from `seed`; without one, from the system's entropy. */
export function createRandom(seed: number = randomInt(2 ** 32)): Random {
  let [a, b, c, counter] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162 ^ (seed / 2 ** 32), 1];
  const uint32 = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // The first outputs still show the seed's bits.
  for (let round = 0; round < 15; round++) uint32();
  const between = (least: number, most: number) => least + (uint32() % (most - least + 1));
  return {
    uint32,
    between,
    bytes: (length) => Uint8Array.from({ length }, () => uint32() >>> 24),
    token: (length) => Array.from({ length }, () => letters[between(0, letters.length - 1)]).join(""),
  };
}
