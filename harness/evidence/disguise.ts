import { createHmac, randomBytes } from "node:crypto";

/**
 * Replaces secrets by look-alikes: of the same length, letter for letter of the same class, the same one wherever the
 * secret stands and however it is spelled. What judged the secret judges the look-alike the same way, and nothing can be
 * learnt from it. Secrets and their look-alikes are Latin-1 texts of bytes.
 */
export interface Disguise {
  /** The look-alike of a value, from now on put in its place. */
  learn(value: Uint8Array | string): string;
  /** The bytes with every known secret, and every piece of one long enough to be told, replaced. */
  apply(bytes: Uint8Array): Uint8Array;
}

/** Pieces shorter than this are left: they cannot be told from chance. */
const windowLength = 12;

const classes = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];

function base64Inner(text: string, shift: number): string {
  const padded = Buffer.from("\0".repeat(shift) + text, "latin1").toString("base64");
  const whole = padded.replace(/=+$/, "");
  // The first group mixes in what stands before, the last may mix in what follows.
  return whole.slice(shift === 0 ? 0 : 4, whole.length - (whole.length % 4 === 0 ? 0 : 1));
}

const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");
const utf8 = (text: string) => Buffer.from(text, "latin1").toString("utf8");
const asLatin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

/** Spellings of a value, in one order for all. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => asLatin1(JSON.stringify(utf8(text)).slice(1, -1)),
  (text) => encodeURIComponent(utf8(text).toWellFormed()),
  (text) => Buffer.from(text, "latin1").toString("hex"),
  (text) => Buffer.from(text, "latin1").toString("hex").toUpperCase(),
  (text) => [...text].reverse().join(""),
  ...[0, 1, 2].flatMap((shift) => [
    (text: string) => base64Inner(text, shift),
    (text: string) => urlSafe(base64Inner(text, shift)),
  ]),
];

interface Spelled {
  readonly from: string;
  readonly to: string;
}

/** Where a spelling, or a piece of it, stands in a text, and what takes its place. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

/** Tells windows apart by their first four letters: most places of a text need not be looked up. */
function sieveAt(text: string, at: number): number {
  const first = Math.imul(text.charCodeAt(at), 31) + text.charCodeAt(at + 1);
  return (Math.imul(Math.imul(first, 31) + text.charCodeAt(at + 2), 31) + text.charCodeAt(at + 3)) & sieveMask;
}

const sieveMask = (1 << 20) - 1;

/** Begins with nothing to hide. The key of the look-alikes is drawn anew, and kept nowhere. */
export function createDisguise(): Disguise {
  const key = randomBytes(32);
  const known = new Map<string, string>();
  const sieve = new Uint8Array(sieveMask + 1);
  /** Spellings begin alike, so a window may belong to several. */
  const windows = new Map<string, { readonly spelled: Spelled; readonly at: number }[]>();

  function lookAlike(text: string): string {
    let stream = Buffer.alloc(0);
    for (let block = 0; stream.length < text.length; block += 1) {
      stream = Buffer.concat([stream, createHmac("sha256", key).update(`${block} ${text}`, "latin1").digest()]);
    }
    return [...text]
      .map((letter, index) => {
        const alphabet = classes.find((one) => one.includes(letter));
        return alphabet === undefined ? letter : alphabet[(stream[index] ?? 0) % alphabet.length];
      })
      .join("");
  }

  function index(spelled: Spelled): void {
    const { from } = spelled;
    const places = Array.from({ length: Math.floor(from.length / windowLength) }, (_, place) => place * windowLength);
    for (const at of [...places, from.length - windowLength]) {
      const window = from.slice(at, at + windowLength);
      sieve[sieveAt(window, 0)] = 1;
      windows.set(window, [...(windows.get(window) ?? []), { spelled, at }]);
    }
  }

  /** The longest stretch of a spelling around a window of the text, not before `least`. */
  function stretchAt(text: string, at: number, least: number): Stretch | undefined {
    const stretches = (windows.get(text.slice(at, at + windowLength)) ?? []).map(
      ({ spelled: { from, to }, at: place }) => {
        let [before, after] = [0, windowLength];
        while (at - before > least && before < place && text[at - before - 1] === from[place - before - 1]) before += 1;
        while (place + after < from.length && text[at + after] === from[place + after]) after += 1;
        return { start: at - before, end: at + after, to: to.slice(place - before, place + after) };
      },
    );
    return stretches.sort((a, b) => b.to.length - a.to.length)[0];
  }

  return {
    learn(value) {
      const text = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      const alike = known.get(text);
      if (alike !== undefined) return alike;
      const made = lookAlike(text);
      known.set(text, made);
      for (const spell of spellings) {
        const [from, to] = [spell(text), spell(made)];
        if (from.length >= windowLength && from.length === to.length) index({ from, to });
      }
      return made;
    },
    apply(bytes) {
      const text = Buffer.from(bytes).toString("latin1");
      const pieces: string[] = [];
      let done = 0;
      for (let at = 0; at + windowLength <= text.length; at += 1) {
        const stretch = sieve[sieveAt(text, at)] === 0 ? undefined : stretchAt(text, at, done);
        if (stretch === undefined) continue;
        pieces.push(text.slice(done, stretch.start), stretch.to);
        done = stretch.end;
        at = done - 1;
      }
      return pieces.length === 0 ? bytes : Buffer.from([...pieces, text.slice(done)].join(""), "latin1");
    },
  };
}
