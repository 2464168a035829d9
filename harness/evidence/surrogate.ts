import { createHmac, randomBytes } from "node:crypto";
import {
  createWindowIndex,
  everyOffset,
  type WindowMatch,
  windowLength,
  windowOffsets,
} from "../secrets/window-index.ts";

/**
 * Replaces secrets by surrogates: of the same length, each letter and digit of the same class, and the same surrogate
 * wherever and in whatever encoding the secret occurs. Judging the surrogate comes to the same result, and reveals nothing
 * of the secret. Secrets and surrogates are Latin-1 text, one character per byte.
 */
export interface Surrogates {
  /**
   * Replaces a value from now on; returns its surrogate.
   * @param thoroughly in upper and lower case, too, and every part of a window's length, wherever it begins
   */
  add(value: Uint8Array | string, thoroughly?: boolean): string;
  /** The bytes with every added value replaced, and every part of one that is two windows long (24 bytes). */
  replaceIn(bytes: Uint8Array): Uint8Array;
}

const classes = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];

/** By the code of a letter the class that it belongs to; none for what stays as it is. */
const classOf = Array.from({ length: 256 }, (_, code) =>
  classes.find((one) => one.includes(String.fromCharCode(code))),
);

/** The part of base64 text that depends on this text alone, at one of the three alignments inside a longer text. */
function base64Inner(text: string, shift: number): string {
  const padded = Buffer.from("\0".repeat(shift) + text, "latin1").toString("base64");
  const whole = padded.replace(/=+$/, "");
  // The first group also depends on what stands before, the last on what follows.
  return whole.slice(shift === 0 ? 0 : 4, whole.length - (whole.length % 4 === 0 ? 0 : 1));
}

const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");
const utf8 = (text: string) => Buffer.from(text, "latin1").toString("utf8");
const asLatin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

const asItIs = (text: string) => text;
const reversed = (text: string) => [...text].reverse().join("");

/** The encodings of a value that are replaced. */
const encodings: readonly ((text: string) => string)[] = [
  asItIs,
  (text) => asLatin1(JSON.stringify(utf8(text)).slice(1, -1)),
  (text) => encodeURIComponent(utf8(text).toWellFormed()),
  (text) => Buffer.from(text, "latin1").toString("hex"),
  (text) => Buffer.from(text, "latin1").toString("hex").toUpperCase(),
  reversed,
  ...[0, 1, 2].flatMap((shift) => [
    (text: string) => base64Inner(text, shift),
    (text: string) => urlSafe(base64Inner(text, shift)),
  ]),
];

/**
 * Bytes of a value from which on it is replaced as it is, and in base64 as a request has it, alone: its other encodings would take
 * megabytes, and an exchange that holds one is written without its bodies.
 */
const longLength = 4096;
const encodingsOfLong: readonly ((text: string) => string)[] = [asItIs, (text) => base64Inner(text, 0)];

/** Cases of a value that are replaced, where that is done thoroughly. */
const cases: readonly ((text: string) => string)[] = [
  asItIs,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
];

/** A part of a text from `start` to `end`, and the text to put there. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

/** Creates surrogates of no values yet. Their key is random and stored nowhere, so that no surrogate can be reversed. */
export function createSurrogates(): Surrogates {
  const key = randomBytes(32);
  const known = new Map<string, string>();
  const index = createWindowIndex();
  /** By number of a text in the index: the text to put in its place. */
  const replacements: string[] = [];

  function surrogateFor(text: string): string {
    const digest = (said: Uint8Array | string) => createHmac("sha256", key).update(said).digest();
    const own = digest(Buffer.from(text, "latin1"));
    const blocks = Math.ceil(text.length / own.length);
    const stream = Buffer.concat(
      Array.from({ length: blocks }, (_, block) => digest(`${block} ${own.toString("hex")}`)),
    );
    return Array.from(text, (letter, place) => {
      const alphabet = classOf[letter.charCodeAt(0)] ?? letter;
      return alphabet[(stream[place] ?? 0) % alphabet.length];
    }).join("");
  }

  /** The longest part of an indexed text around a window match at `at`, from `min` on. */
  function longestMatch(
    text: string,
    at: number,
    matches: readonly WindowMatch[],
    min: number,
  ): Replacement | undefined {
    const candidates = matches.map(({ text: number, at: offset }) => {
      const from = index.texts[number] ?? "";
      let [before, after] = [0, windowLength];
      while (at - before > min && before < offset && text[at - before - 1] === from[offset - before - 1]) before += 1;
      while (offset + after < from.length && text[at + after] === from[offset + after]) after += 1;
      const to = (replacements[number] ?? "").slice(offset - before, offset + after);
      return { start: at - before, end: at + after, to };
    });
    return candidates.sort((a, b) => b.to.length - a.to.length)[0];
  }

  return {
    add(value, thoroughly = false) {
      const text = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      const existing = known.get(text);
      if (existing !== undefined) return existing;
      const surrogate = surrogateFor(text);
      known.set(text, surrogate);
      const added = new Set<string>();
      for (const inCase of thoroughly ? cases : cases.slice(0, 1)) {
        for (const encode of text.length < longLength ? encodings : encodingsOfLong) {
          const [from, to] = [encode(inCase(text)), encode(inCase(surrogate))];
          if (from.length < windowLength || from.length !== to.length || added.has(from)) continue;
          added.add(from);
          const isLetters = encode === asItIs || encode === reversed;
          const offsetsOf = thoroughly && isLetters ? everyOffset : windowOffsets;
          // Encodings of a value share their beginnings, so a window may belong to several.
          replacements[index.addShared(from, offsetsOf(from))] = to;
        }
      }
      return surrogate;
    },
    replaceIn(bytes) {
      const text = Buffer.from(bytes).toString("latin1");
      const pieces: string[] = [];
      let done = 0;
      index.scan(bytes, (at, matches) => {
        const match = at < done ? undefined : longestMatch(text, at, matches, done);
        if (match === undefined) return;
        pieces.push(text.slice(done, match.start), match.to);
        done = match.end;
      });
      return pieces.length === 0 ? bytes : Buffer.from([...pieces, text.slice(done)].join(""), "latin1");
    },
  };
}
