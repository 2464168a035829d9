/** A byte for each byte: bytes that are given the same one count as the same. */
export type Folding = Uint8Array;

/** Bytes of a word, and of two, which are looked at together. */
const [wordLength, pairLength] = [4, 8];

/** So many ways to write a pair are not gone through twice. */
const manyWays = 32;

/** Bits of the filter for each pair it holds: of the pairs that are none of these one in sixty passes. */
const bitsEach = 16;

/** In upper and lower case a letter is the same but for this bit. */
const caseBit = 0x20;

/**
 * A sieve before the search for windows of 12 bytes: it is asked of every fourth place of what is searched, where such a window
 * covers two whole words wherever it begins. Words are hashed into a Bloom filter, so that it lets pass what is there, and
 * little else.
 */
export interface WordSieve {
  /** Lets a window of a text (Latin-1 for bytes) pass. */
  add(text: string, at: number): void;
  /** Whether it holds so many that too much else passes: it is to be made anew, larger. */
  readonly isFull: boolean;
  /** The first place from `from` on, in words, at which a window may cover two whole ones; -1 where there is none. */
  next(words: Int32Array, from: number): number;
}

/** Bytes as words; a copy where they do not begin at a word. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >>> 2);
}

/** For each byte the others that count as the same and are told apart by more than the case bit, itself first. */
type Alternatives = readonly (readonly number[])[];

const known = new WeakMap<Folding, Alternatives>();

function alternativesIn(folding: Folding, mask: number): Alternatives {
  const made =
    known.get(folding) ??
    Array.from({ length: 256 }, (_, byte) => {
      const same = [byte];
      for (let other = 0; other < 256; other += 1) {
        const isNew = same.every((one) => (one | mask) !== (other | mask));
        if (folding[other] === folding[byte] && isNew) same.push(other);
      }
      return same;
    });
  known.set(folding, made);
  return made;
}

/**
 * Creates a sieve that lets nothing pass.
 *
 * @param windowLength bytes of a window, 11 or more
 * @param room windows it is to hold at least
 */
export function createWordSieve(folding: Folding, windowLength: number, room: number): WordSieve {
  const mask = folding[0x41] === folding[0x61] ? caseBit : 0;
  const masks = mask * 0x01010101;
  const alternatives = alternativesIn(folding, mask);
  /** Places at which the first whole word may begin in a window. */
  const phases = Math.min(wordLength, windowLength - pairLength + 1);
  const bits = Math.max(12, Math.ceil(Math.log2(room * phases * bitsEach)));
  const filter = new Uint8Array(1 << (bits - 3));
  const most = (1 << bits) / bitsEach;
  let pairs = 0;
  /** Pairs of many ways that were added: long runs of such letters would take for ever. */
  const written = new Set<string>();
  const pair = new Int32Array(2);
  const pairBytes = new Uint8Array(pair.buffer);

  function hashOf(first: number, second: number): number {
    const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
    return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  }

  /** Sets a bit of the filter; whether it was set before. */
  function set(place: number): boolean {
    const [byte, bit] = [filter[place >>> 3] ?? 0, 1 << (place & 7)];
    filter[place >>> 3] = byte | bit;
    return (byte & bit) !== 0;
  }

  /** Lets the pair pass that stands in `pairBytes`. */
  function addPair(): void {
    const hash = hashOf((pair[0] ?? 0) | masks, (pair[1] ?? 0) | masks);
    const wasThere = set(hash >>> (32 - bits));
    if (!set(Math.imul(hash, 0x27d4eb2f) >>> (32 - bits)) || !wasThere) pairs += 1;
  }

  /** How many ways there are to write a pair of a text, which stands in `pairBytes` then. */
  function waysToWrite(text: string, at: number): number {
    let ways = 1;
    for (let byte = 0; byte < pairLength; byte += 1) {
      const code = text.charCodeAt(at + byte) & 0xff;
      pairBytes[byte] = code;
      ways *= alternatives[code]?.length ?? 1;
    }
    return ways;
  }

  /** Lets a pair pass however it may be written from a byte on. */
  function addWays(byte: number): void {
    if (byte === pairLength) {
      addPair();
      return;
    }
    const own = pairBytes[byte] ?? 0;
    for (const way of alternatives[own] ?? []) {
      pairBytes[byte] = way;
      addWays(byte + 1);
    }
    pairBytes[byte] = own;
  }

  return {
    add(text, at) {
      for (let phase = 0; phase < phases; phase += 1) {
        const ways = waysToWrite(text, at + phase);
        if (ways === 1) {
          addPair();
          continue;
        }
        if (ways >= manyWays) {
          const key = Array.from(pairBytes, (byte) => folding[byte]).join();
          if (written.has(key)) continue;
          written.add(key);
        }
        addWays(0);
      }
    },
    get isFull() {
      return pairs > most;
    },
    next(words, from) {
      // Every byte received comes by here.
      const last = words.length - 1;
      const shift = 32 - bits;
      let first = (words[from] ?? 0) | masks;
      for (let word = from; word < last; word += 1) {
        const second = (words[word + 1] ?? 0) | masks;
        const hash = hashOf(first, second);
        first = second;
        const one = hash >>> shift;
        if (((filter[one >>> 3] ?? 0) & (1 << (one & 7))) === 0) continue;
        const other = Math.imul(hash, 0x27d4eb2f) >>> shift;
        if (((filter[other >>> 3] ?? 0) & (1 << (other & 7))) !== 0) return word;
      }
      return -1;
    },
  };
}
