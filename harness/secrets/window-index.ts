import { createWordSieve, type Folding, wordsOf } from "./word-sieve.ts";

/** Length of a window in bytes: a part of a secret that long does not occur by chance. */
export const windowLength = 12;

/** Offsets of the windows of a text: one after the other; the last ends with the text and may overlap the one before. */
export function windowOffsets(text: string): readonly number[] {
  const whole = Array.from({ length: Math.floor(text.length / windowLength) }, (_, place) => place * windowLength);
  return text.length % windowLength === 0 ? whole : [...whole, text.length - windowLength];
}

/** Every offset at which a window fits: a part of a window's length is found wherever it begins. */
export function everyOffset(text: string): readonly number[] {
  return Array.from({ length: Math.max(0, text.length - windowLength + 1) }, (_, at) => at);
}

const asItIs: Folding = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Letters without their case, and the two letters in which base64url differs from base64 as base64 has them. */
export const foldedLetters: Folding = asItIs.map((byte) => {
  if (byte === 0x2d) return 0x2b;
  if (byte === 0x5f) return 0x2f;
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
});

/** A window of the index: the text it is of, and its offset in it. */
export interface WindowMatch {
  /** Number of the text, in the order of adding, from 0. */
  readonly text: number;
  readonly at: number;
}

/**
 * An index of the windows of many texts: bytes are searched for all of them in one pass. A part of a text that is at least
 * two windows long is found wherever it begins. Texts are Latin-1 for bytes. It is held in typed arrays, as a long run
 * adds hundreds of thousands of windows and keeps them to its end.
 */
export interface WindowIndex {
  /** The texts added, by number. */
  readonly texts: readonly string[];
  /** Which bytes count as the same. */
  readonly folding: Folding;
  /**
   * Adds a text of at least a window's length and returns its number. A window that another text has stays that text's.
   * @param offsets of its windows; default one after the other
   */
  add(text: string, offsets?: readonly number[]): number;
  /** As `add`, but a window that another text has becomes a window of both. */
  addShared(text: string, offsets?: readonly number[]): number;
  /** Calls `found` for each offset in the bytes at which windows of the index are, in order. It may add to the index. */
  scan(bytes: Uint8Array, found: (at: number, matches: readonly WindowMatch[]) => void): void;
}

const base = 0x01000193;

/** The hash of the window at an offset of a text. */
function hashAt(text: string, at: number, folding: Folding): number {
  let hash = 0;
  for (let end = at; end < at + windowLength; end += 1) {
    hash = (Math.imul(hash, base) + (folding[text.charCodeAt(end)] ?? 0)) | 0;
  }
  return hash;
}

/** The same of bytes. */
function hashIn(bytes: Uint8Array, at: number, folding: Folding): number {
  let hash = 0;
  for (let end = at; end < at + windowLength; end += 1) {
    hash = (Math.imul(hash, base) + (folding[bytes[end] ?? 0] ?? 0)) | 0;
  }
  return hash;
}

function grown(array: Int32Array, length: number): Int32Array {
  const longer = new Int32Array(length);
  longer.set(array);
  return longer;
}

/** Nearly every look-up finds nothing: one array serves all of them. */
const none: readonly WindowMatch[] = [];

/**
 * Creates an index of nothing.
 * @param folding bytes that count as the same; default none
 */
export function createWindowIndex(folding = asItIs): WindowIndex {
  const texts: string[] = [];
  /** By number of a window, from 1: its hash, text and offset, and the next window of its slot, 0 for none. */
  let [hashes, textNumbers, offsets, nexts] = Array.from({ length: 4 }, () => new Int32Array(256)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let count = 0;
  let bits = 10;
  /** By the upper bits of a hash: the first window of the slot. */
  let slots = new Int32Array(1 << bits);
  let sieve = createWordSieve(folding, windowLength, slots.length);

  const link = (window: number) => {
    const slot = (hashes[window] ?? 0) >>> (32 - bits);
    nexts[window] = slots[slot] ?? 0;
    slots[slot] = window;
    sieve.add(texts[textNumbers[window] ?? 0] ?? "", offsets[window] ?? 0);
  };

  function insert(hash: number, text: number, at: number): void {
    count += 1;
    if (count === hashes.length) {
      const length = 2 * hashes.length;
      [hashes, textNumbers, offsets, nexts] = [
        grown(hashes, length),
        grown(textNumbers, length),
        grown(offsets, length),
        grown(nexts, length),
      ];
    }
    hashes[count] = hash;
    textNumbers[count] = text;
    offsets[count] = at;
    if (count <= slots.length && !sieve.isFull) {
      link(count);
      return;
    }
    bits += 1;
    slots = new Int32Array(1 << bits);
    sieve = createWordSieve(folding, windowLength, slots.length);
    for (let window = 1; window <= count; window += 1) link(window);
  }

  /** The windows with this hash and these bytes, the last added first. */
  function windowsOf(hash: number, byteAt: (place: number) => number | undefined): readonly WindowMatch[] {
    let found: WindowMatch[] | undefined;
    for (let window = slots[hash >>> (32 - bits)] ?? 0; window !== 0; window = nexts[window] ?? 0) {
      if (hashes[window] !== hash) continue;
      const [text, at] = [textNumbers[window] ?? 0, offsets[window] ?? 0];
      const source = texts[text] ?? "";
      let same = 0;
      while (same < windowLength && folding[source.charCodeAt(at + same)] === byteAt(same)) same += 1;
      if (same < windowLength) continue;
      if (found === undefined) found = [{ text, at }];
      else found.push({ text, at });
    }
    return found ?? none;
  }

  const windowsAt = (hash: number, bytes: Uint8Array, at: number) =>
    windowsOf(hash, (place) => folding[bytes[at + place] ?? 0]);

  function addAll(text: string, offsets: readonly number[], allowShared: boolean): number {
    const number = texts.push(text) - 1;
    for (const at of offsets) {
      const hash = hashAt(text, at, folding);
      const byteAt = (place: number) => folding[text.charCodeAt(at + place)];
      if (allowShared || windowsOf(hash, byteAt).length === 0) insert(hash, number, at);
    }
    return number;
  }

  return {
    texts,
    folding,
    add: (text, offsets = windowOffsets(text)) => addAll(text, offsets, false),
    addShared: (text, offsets = windowOffsets(text)) => addAll(text, offsets, true),
    scan(bytes, found) {
      const words = wordsOf(bytes);
      // Only where a window may be is it looked for, at each place at which it may begin.
      for (let word = sieve.next(words, 0); word !== -1; word = sieve.next(words, word + 1)) {
        const last = Math.min(4 * word, bytes.length - windowLength);
        for (let at = Math.max(0, 4 * word - 3); at <= last; at += 1) {
          const matches = windowsAt(hashIn(bytes, at, folding), bytes, at);
          if (matches.length > 0) found(at, matches);
        }
      }
    },
  };
}
