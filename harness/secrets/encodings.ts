import { isUtf8 } from "node:buffer";
import { base32In } from "./base32.ts";
import { byteListsIn } from "./byte-lists.ts";
import { isContractWord } from "./contract-words.ts";
import { escapes } from "./escapes.ts";
import { gzipMagic, TooMuchToRead, unzippedIn } from "./packed.ts";
import { encodedRunsIn, hexRun, isOnlyHex, isUuid } from "./runs.ts";

/** Length in bytes below which a value is not guarded: it would occur by chance. */
export const minGuardedLength = 12;

/** The parts of base64 text that depend on these bytes alone, at each of the three alignments inside a longer text. */
function base64Encodings(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const text = padded.toString("base64").replace(/=+$/, "");
    // The first group mixes in the alignment's bytes, the last may mix in what follows.
    return text.slice(shift === 0 ? 0 : 4, text.length - (text.length % 4 === 0 ? 0 : 1));
  });
}

/** The bytes of a value; a text is encoded as UTF-8. */
export function bytesOf(value: Uint8Array | string): Buffer {
  return typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
}

/** The usual encodings of a value: text to name. A value that is not UTF-8 has the encodings of bytes only. */
export function encodingsOf(value: Uint8Array | string): ReadonlyMap<string, string> {
  const bytes = bytesOf(value);
  const aligned = base64Encodings(bytes);
  const hex = bytes.toString("hex");
  const forms: readonly (readonly [form: string, text: string])[] = [
    ...(isUtf8(bytes) ? textEncodings(bytes.toString("utf8")) : []),
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

function textEncodings(text: string): readonly (readonly [form: string, text: string])[] {
  return [
    ["raw", text],
    ["JSON-escaped", JSON.stringify(text).slice(1, -1)],
    ["percent-encoded", encodeURIComponent(text.toWellFormed())],
    ["reversed", [...text].reverse().join("")],
  ];
}

/** What part of a text decodes to, and from which encoding. */
export interface Decoding {
  readonly form: string;
  readonly bytes: Buffer;
  /** True where the decoded bytes may themselves be encoded. */
  readonly mayNest: boolean;
}

/** Shorter runs cannot hold a window of a guarded value in base64 or hex, nor the whole of one in base32. */
const shortestRun = 24;
const base64Run = /[A-Za-z0-9+/_-]{24,}/g;

/** True for what may be encoded once more: printable ASCII, UTF-16, or what is compressed. */
function mayBeEncoded(bytes: Buffer): boolean {
  if (bytes.subarray(0, gzipMagic.length).equals(gzipMagic)) return true;
  const head = bytes.subarray(0, 16);
  const isUtf16 = [0, 1].some((half) => head.every((byte, at) => at % 2 !== half || byte === 0));
  return isUtf16 || head.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** Decodes a run from each of its first `starts` characters: those before may belong to something else. */
function decodeFrom(run: string, starts: number, form: string, decode: (run: string) => Buffer): Decoding[] {
  return Array.from({ length: starts }, (_, start) => {
    const bytes = decode(start === 0 ? run : run.slice(start));
    return { form, bytes, mayNest: start === 0 && mayBeEncoded(bytes) };
  });
}

const evenLength = (run: string) => run.slice(0, run.length - (run.length % 2));

function decodeRun(run: string): Decoding[] {
  if (isUuid(run) || isContractWord(run)) return [];
  const inHex = (run.match(hexRun) ?? []).flatMap((one) =>
    decodeFrom(one, 2, "hex", (digits) => Buffer.from(evenLength(digits), "hex")),
  );
  // A run of only hex digits is hardly ever base64. Node decodes both alphabets of base64.
  if (isOnlyHex(run)) return inHex;
  const inBase32 = base32In(run).map((bytes): Decoding => ({ form: "base32", bytes, mayNest: false }));
  return [...inHex, ...inBase32, ...decodeFrom(run, 4, "base64", (one) => Buffer.from(one, "base64"))];
}

/** What is compressed in bytes, unpacked; what comes to more than is looked into is no secret, and says nothing. */
function unpacked(bytes: Buffer): Decoding[] {
  if (!bytes.includes(gzipMagic)) return [];
  try {
    return [...unzippedIn(bytes)].map(([, said]) => ({ form: "gzip", bytes: said, mayNest: true }));
  } catch (error) {
    if (error instanceof TooMuchToRead) return [];
    throw error;
  }
}

/**
 * What a text decodes to: with its escapes undone, in any mixture of escaped and plain characters, each run in it that looks
 * like hex, in any case, base32 or base64, each list of numbers that may be bytes, and what is compressed. One layer: the
 * caller may decode the results again.
 */
export function decodingsOf(bytes: Buffer): readonly Decoding[] {
  const decodings: Decoding[] = [];
  const signed = escapes.filter(({ sign }) => bytes.includes(sign));
  const text = signed.length === 0 ? "" : bytes.toString("latin1");
  for (const { form, pattern, undo } of signed) {
    const plain = text.replace(pattern, (escaped) => undo(escaped));
    if (plain !== text) decodings.push({ form, bytes: Buffer.from(plain, "latin1"), mayNest: true });
  }
  for (const { text } of encodedRunsIn(bytes, shortestRun)) decodings.push(...decodeRun(text));
  for (const { form, bytes: listed } of byteListsIn(bytes)) {
    decodings.push({ form, bytes: listed, mayNest: mayBeEncoded(listed) });
  }
  return [...decodings, ...unpacked(bytes)];
}

/** Replaces each run that looks like hex or base64 by its label, where `labelOf` gives one. */
export function replaceRuns(text: string, labelOf: (run: string) => string | undefined): string {
  return [hexRun, base64Run].reduce(
    (rest, pattern) =>
      rest.replaceAll(pattern, (run) => {
        const label = labelOf(run);
        return label === undefined ? run : `<encoded ${label}>`;
      }),
    text,
  );
}

/** How many bytes equal the one before, or differ by one: many in an alphabet, a counter, padding. */
function neighbouringPairs(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte, at) => sum + (at > 0 && Math.abs(byte - (bytes[at - 1] ?? 0)) <= 1 ? 1 : 0), 0);
}

/**
 * True for a value that occurs neither by chance nor in ordinary text, so that finding it means it leaked. An alphabet is
 * none: it is long, but occurs in many texts.
 */
export function isDistinctive(value: Uint8Array | string): boolean {
  const bytes = bytesOf(value);
  return bytes.byteLength >= 16 && new Set(bytes).size >= 12 && neighbouringPairs(bytes) * 4 < bytes.byteLength;
}
