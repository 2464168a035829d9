/** Letters of a window: a piece of a secret at least so long can be told from chance. */
export const windowLength = 12;

/** Where the windows of a text begin: one after the other, and the last, which may overlap the one before. */
export function windowPlaces(text: string): readonly number[] {
  const whole = Array.from({ length: Math.floor(text.length / windowLength) }, (_, place) => place * windowLength);
  return text.length % windowLength === 0 ? whole : [...whole, text.length - windowLength];
}

/** A window as it was entered: of which text, and where in it. */
export interface Place {
  /** Number of the text, in the order of entering. */
  readonly text: number;
  readonly at: number;
}

/**
 * Windows of many texts, all of which are looked for in one pass, however many there are. A piece of a text that is at
 * least two windows long is found wherever it begins. Texts are Latin-1 for bytes. It is kept in a few typed arrays, as a
 * long run enters hundreds of thousands of windows and holds them to its end.
 */
export interface WindowIndex {
  /** The texts entered. */
  readonly texts: readonly string[];
  /** Enters a text of a window's length or more, and returns its number; a window that is known already stays whose it was. */
  add(text: string): number;
  /** As `add`, but windows that are known already become the text's too. */
  share(text: string): number;
  /** Tells of each place in the bytes where a window stands, and which windows that are, in order. */
  scan(bytes: Uint8Array, found: (at: number, places: readonly Place[]) => void): void;
}

const base = 0x01000193;
/** What a letter has been multiplied by when it leaves the window. */
const leavingFactor = Array.from({ length: windowLength }).reduce<number>((power) => Math.imul(power, base), 1);

/** The hash of a window, as rolling over it makes it. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let end = at; end < at + windowLength; end += 1) hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
  return hash;
}

function grown(array: Int32Array, length: number): Int32Array {
  const longer = new Int32Array(length);
  longer.set(array);
  return longer;
}

/** Nearly every look-up finds nothing: none is made anew for it. */
const none: readonly Place[] = [];

/** The sieve tells apart so many more bits of a hash than the slots: eight places or more for each window. */
const sieveBits = 3;

/** Creates an index of nothing. */
export function createWindowIndex(): WindowIndex {
  const texts: string[] = [];
  /** Windows are numbered from 1: their hashes, texts and places, and the next window of the same slot, 0 for none. */
  let [hashes, owners, places, nexts] = Array.from({ length: 4 }, () => new Int32Array(256)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let count = 0;
  let bits = 10;
  /** By the upper bits of a hash, the first of its windows. */
  let slots = new Int32Array(1 << bits);
  /** By some bits more, whether there is any: small enough to stay near the processor, as every byte is looked up in it. */
  let sieve = new Uint8Array(1 << (bits + sieveBits - 3));

  const link = (window: number) => {
    const slot = (hashes[window] ?? 0) >>> (32 - bits);
    nexts[window] = slots[slot] ?? 0;
    slots[slot] = window;
    const place = (hashes[window] ?? 0) >>> (32 - bits - sieveBits);
    sieve[place >>> 3] = (sieve[place >>> 3] ?? 0) | (1 << (place & 7));
  };

  function enter(hash: number, text: number, at: number): void {
    count += 1;
    if (count === hashes.length) {
      const length = 2 * hashes.length;
      [hashes, owners, places, nexts] = [
        grown(hashes, length),
        grown(owners, length),
        grown(places, length),
        grown(nexts, length),
      ];
    }
    hashes[count] = hash;
    owners[count] = text;
    places[count] = at;
    if (count <= slots.length) {
      link(count);
      return;
    }
    bits += 1;
    slots = new Int32Array(1 << bits);
    sieve = new Uint8Array(1 << (bits + sieveBits - 3));
    for (let window = 1; window <= count; window += 1) link(window);
  }

  /** Windows of a hash that read as `letterAt` says, the last entered first. */
  function windowsOf(hash: number, letterAt: (place: number) => number | undefined): readonly Place[] {
    let found: Place[] | undefined;
    for (let window = slots[hash >>> (32 - bits)] ?? 0; window !== 0; window = nexts[window] ?? 0) {
      if (hashes[window] !== hash) continue;
      const [text, at] = [owners[window] ?? 0, places[window] ?? 0];
      const read = texts[text] ?? "";
      let same = 0;
      while (same < windowLength && read.charCodeAt(at + same) === letterAt(same)) same += 1;
      if (same < windowLength) continue;
      if (found === undefined) found = [{ text, at }];
      else found.push({ text, at });
    }
    return found ?? none;
  }

  function addAll(text: string, isShared: boolean): number {
    const number = texts.push(text) - 1;
    for (const at of windowPlaces(text)) {
      const hash = hashAt(text, at);
      if (isShared || windowsOf(hash, (place) => text.charCodeAt(at + place)).length === 0) enter(hash, number, at);
    }
    return number;
  }

  return {
    texts,
    add: (text) => addAll(text, false),
    share: (text) => addAll(text, true),
    scan(bytes, found) {
      let hash = 0;
      for (let end = 0; end < bytes.length; end += 1) {
        const leaving = end < windowLength ? 0 : (bytes[end - windowLength] ?? 0);
        hash = (Math.imul(hash, base) + (bytes[end] ?? 0) - Math.imul(leaving, leavingFactor)) | 0;
        const place = hash >>> (32 - bits - sieveBits);
        if (end < windowLength - 1 || ((sieve[place >>> 3] ?? 0) & (1 << (place & 7))) === 0) continue;
        const at = end - windowLength + 1;
        const windows = windowsOf(hash, (place) => bytes[at + place]);
        if (windows.length > 0) found(at, windows);
      }
    },
  };
}
