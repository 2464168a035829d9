import { isUtf8 } from "node:buffer";

/** Values shorter than this cannot be told from chance. */
export const minGuardedLength = 12;

/** Base64 of the value's bytes at each of the three alignments a surrounding text may give it, inner part only. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const text = padded.toString("base64").replace(/=+$/, "");
    // The first group mixes in the alignment's bytes, the last may mix in what follows.
    return text.slice(shift === 0 ? 0 : 4, text.length - (text.length % 4 === 0 ? 0 : 1));
  });
}

/** A value's bytes: of a text, in UTF-8. */
export function bytesOf(value: Uint8Array | string): Buffer {
  return typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
}

/** The usual spellings of a value, each with its name. What is no text is spelled as bytes only. */
export function formsOf(value: Uint8Array | string): ReadonlyMap<string, string> {
  const bytes = bytesOf(value);
  const aligned = base64Forms(bytes);
  const hex = bytes.toString("hex");
  const forms: readonly (readonly [form: string, text: string])[] = [
    ...(isUtf8(bytes) ? textForms(bytes.toString("utf8")) : []),
    ["hex", hex],
    ["hex", hex.toUpperCase()],
    ...aligned.map((text) => ["base64", text] as const),
    ...aligned.map((text) => ["base64url", text.replaceAll("+", "-").replaceAll("/", "_")] as const),
  ];
  const named = new Map<string, string>();
  for (const [form, text] of forms) {
    if (text.length >= minGuardedLength && !named.has(text)) named.set(text, form);
  }
  return named;
}

function textForms(text: string): readonly (readonly [form: string, text: string])[] {
  return [
    ["raw", text],
    ["JSON-escaped", JSON.stringify(text).slice(1, -1)],
    ["percent-encoded", encodeURIComponent(text.toWellFormed())],
    ["reversed", [...text].reverse().join("")],
  ];
}

/** Bytes a text may stand for, and how it says so. */
export interface Reading {
  readonly form: string;
  readonly bytes: Buffer;
  /** Whether it may say something else in its turn. */
  readonly deeper: boolean;
}

/** Shorter runs hold no part of a value that could be told. */
const base64Run = /[A-Za-z0-9+/_-]{24,}/g;
const hexRun = /[0-9A-Fa-f]{24,}/g;
const onlyHex = /^[0-9A-Fa-f]+$/;
/** Most runs are ids, and say nothing else. */
const uuid = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
const percentSign = 0x25;
const backslash = 0x5c;

/** Undoes JSON's escapes; what is no escape stays. Text is Latin-1 for bytes, so that bytes that are no text stay as they are. */
function unescaped(text: string): string {
  return text.replace(/((?:\\u[0-9A-Fa-f]{4})+)|\\(["\\/])/g, (_, units: string | undefined, letter: string) => {
    if (units === undefined) return letter;
    const codes = units.split("\\u").slice(1);
    const written = String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16)));
    return Buffer.from(written, "utf8").toString("latin1");
  });
}

/** Undoes percent-encoding byte by byte: what it stands for need not be UTF-8. `text` is Latin-1. */
function unpercented(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
}

/** True for bytes that could be text: what was encoded twice is text in between. */
function looksLikeText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 16).every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** What a run says, wherever it may begin: the letters before it may belong to something else. */
function decoded(run: string, starts: number, form: string, read: (run: string) => Buffer): Reading[] {
  return Array.from({ length: starts }, (_, start) => {
    const bytes = read(start === 0 ? run : run.slice(start));
    return { form, bytes, deeper: start === 0 && looksLikeText(bytes) };
  });
}

const evenly = (run: string) => run.slice(0, run.length - (run.length % 2));

function readRun(run: string): Reading[] {
  if (uuid.test(run)) return [];
  const inHex = (run.match(hexRun) ?? []).flatMap((one) =>
    decoded(one, 2, "hex", (digits) => Buffer.from(evenly(digits), "hex")),
  );
  // Base64 of so many letters hardly ever looks like hex. Node reads both alphabets.
  return onlyHex.test(run) ? inHex : [...inHex, ...decoded(run, 4, "base64", (one) => Buffer.from(one, "base64"))];
}

/**
 * What else a text says to one who undoes its escapes or decodes what looks encoded in it: every mixture of escaped and
 * plain letters, hex in mixed case, base64 of a value that was itself encoded. One layer; the caller may read again.
 */
export function readingsOf(bytes: Buffer): readonly Reading[] {
  const readings: Reading[] = [];
  const text = bytes.toString("latin1");
  if (bytes.includes(backslash)) {
    const plain = unescaped(text);
    if (plain !== text) readings.push({ form: "JSON-escaped", bytes: Buffer.from(plain, "latin1"), deeper: true });
  }
  if (bytes.includes(percentSign)) {
    const plain = unpercented(text);
    if (plain !== text) readings.push({ form: "percent-encoded", bytes: Buffer.from(plain, "latin1"), deeper: true });
  }
  for (const run of text.match(base64Run) ?? []) readings.push(...readRun(run));
  return readings;
}

/** The text with every run that looks encoded, and of which `labelOf` knows what it holds, replaced by that label. */
export function withoutRuns(text: string, labelOf: (run: string) => string | undefined): string {
  return [hexRun, base64Run].reduce(
    (rest, pattern) =>
      rest.replaceAll(pattern, (run) => {
        const label = labelOf(run);
        return label === undefined ? run : `<encoded ${label}>`;
      }),
    text,
  );
}

/** Neighbours that are equal, or next to each other: an alphabet, a count, padding. */
function steps(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte, at) => sum + (at > 0 && Math.abs(byte - (bytes[at - 1] ?? 0)) <= 1 ? 1 : 0), 0);
}

/**
 * True for bytes that chance does not bring about, and that no ordinary text holds: what comes back of them was leaked.
 * All letters in their order, say, are many, and stand in many a text.
 */
export function isDistinctive(value: Uint8Array | string): boolean {
  const bytes = bytesOf(value);
  return bytes.byteLength >= 16 && new Set(bytes).size >= 12 && steps(bytes) * 4 < bytes.byteLength;
}
