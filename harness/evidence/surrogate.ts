import { createHmac, randomBytes } from "node:crypto";
import { createWindowIndex, type Place, windowLength } from "../secrets/window-index.ts";

/**
 * Replaces secrets by look-alikes: of the same length, letter for letter of the same class, the same one wherever the
 * secret stands and however it is spelled. What judged the secret judges the look-alike the same way, and nothing can be
 * learnt from it. Secrets and their look-alikes are Latin-1 texts of bytes.
 */
export interface Surrogates {
  /** The look-alike of a value, from now on put in its place. */
  learn(value: Uint8Array | string): string;
  /** The bytes with every known secret, and every piece of one long enough to be told, replaced. */
  apply(bytes: Uint8Array): Uint8Array;
}

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

/** Where a spelling, or a piece of it, stands in a text, and what takes its place. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

/** Begins with nothing to hide. The key of the look-alikes is drawn anew, and kept nowhere. */
export function createSurrogates(): Surrogates {
  const key = randomBytes(32);
  const known = new Map<string, string>();
  const index = createWindowIndex();
  /** What takes the place of each text of the index. */
  const alikes: string[] = [];

  function surrogateFor(text: string): string {
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

  /** The longest stretch of a spelling around windows of the text that stand at a place, not before `least`. */
  function stretchAround(text: string, at: number, places: readonly Place[], least: number): Stretch | undefined {
    const stretches = places.map(({ text: number, at: place }) => {
      const from = index.texts[number] ?? "";
      let [before, after] = [0, windowLength];
      while (at - before > least && before < place && text[at - before - 1] === from[place - before - 1]) before += 1;
      while (place + after < from.length && text[at + after] === from[place + after]) after += 1;
      const to = (alikes[number] ?? "").slice(place - before, place + after);
      return { start: at - before, end: at + after, to };
    });
    return stretches.sort((a, b) => b.to.length - a.to.length)[0];
  }

  return {
    learn(value) {
      const text = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      const alike = known.get(text);
      if (alike !== undefined) return alike;
      const made = surrogateFor(text);
      known.set(text, made);
      for (const spell of spellings) {
        const [from, to] = [spell(text), spell(made)];
        // Spellings begin alike, so a window may belong to several.
        if (from.length >= windowLength && from.length === to.length) alikes[index.share(from)] = to;
      }
      return made;
    },
    apply(bytes) {
      const text = Buffer.from(bytes).toString("latin1");
      const pieces: string[] = [];
      let done = 0;
      index.scan(bytes, (at, places) => {
        const stretch = at < done ? undefined : stretchAround(text, at, places, done);
        if (stretch === undefined) return;
        pieces.push(text.slice(done, stretch.start), stretch.to);
        done = stretch.end;
      });
      return pieces.length === 0 ? bytes : Buffer.from([...pieces, text.slice(done)].join(""), "latin1");
    },
  };
}
