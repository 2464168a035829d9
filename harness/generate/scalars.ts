import fc from "fast-check";
import {
  byteEdges,
  durationLimit,
  edgeStrings,
  everyByte,
  int64Edges,
  timestampRange,
  uint32Edges,
  uint64Edges,
} from "./edges.ts";

/** Any code point but the surrogates. fast-check's own `binary` unit spends most of a second on a table of them all. */
const codePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** Any Unicode text without lone surrogates: control characters, unassigned code points and edge texts included. */
export const unicodeText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: codePoint, maxLength: 64 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 64 }) },
  { weight: 1, arbitrary: fc.constantFrom(...edgeStrings) },
);

/** A name a person could choose, in any script: 1 to 40 printable graphemes, no space at either end. */
export const nameText: fc.Arbitrary<string> = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() === text);

/** The text of a UUID of version 7, lower case. */
export const uuidV7: fc.Arbitrary<string> = fc.uuid({ version: 7 });

/** A signed 64-bit integer as decimal text, past 2^53 as a rule. */
export const int64Text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...int64Edges),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
);

/** An unsigned 64-bit integer as decimal text. */
export const uint64Text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...uint64Edges),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
);

export const uint32Number: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(...uint32Edges),
  fc.nat({ max: 1000 }),
  fc.nat({ max: 0xffff_ffff }),
);

/** Bytes of any value: nothing, the edges, all 256 values in some order, and arbitrary ones. */
export const anyBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 96 }),
  fc.constantFrom(...byteEdges).map((bytes) => bytes.slice()),
  fc.shuffledSubarray([...everyByte], { minLength: everyByte.length }).map((bytes) => Uint8Array.from(bytes)),
);

/** Bytes as ProtoJSON writes them: standard base64 with padding. */
export const bytesText: fc.Arbitrary<string> = anyBytes.map((bytes) => Buffer.from(bytes).toString("base64"));

/** Nanoseconds that need 0, 3, 6 and 9 digits, and the limits of each. */
const nanoseconds = fc.oneof(
  fc.constantFrom(0, 1, 999, 1_000, 999_000, 1_000_000, 500_000_000, 999_000_000, 999_999_999),
  fc.nat({ max: 999 }).map((milliseconds) => milliseconds * 1_000_000),
  fc.nat({ max: 999_999 }).map((microseconds) => microseconds * 1_000),
  fc.nat({ max: 999_999_999 }),
);

/** Nanoseconds in 0, 3, 6 or 9 digits, as few as do: the canonical form (sheet PJ-50, PJ-51). */
export function canonicalFraction(nanos: number): string {
  const digits = String(nanos)
    .padStart(9, "0")
    .replace(/(000)+$/, "");
  return digits === "" ? "" : `.${digits}`;
}

const { first, last } = timestampRange;
const day = 86_400;

/** Seconds since 1970, the limits and the signs of second 0 included; `margin` seconds kept free at either end. */
function instants(margin: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(0, -1, 1, 951_782_400, 1_709_164_800, 2_147_483_648, 4_102_444_800, first + margin, last - margin),
    fc.integer({ min: 1_500_000_000, max: 2_000_000_000 }),
    fc.integer({ min: first + margin, max: last - margin }),
  );
}

function clockText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** A Timestamp in its canonical form: UTC with `Z`, and 0, 3, 6 or 9 digits of a second. */
export const timestampText: fc.Arbitrary<string> = fc
  .tuple(instants(0), nanoseconds)
  .map(([seconds, nanos]) => `${clockText(seconds)}${canonicalFraction(nanos)}Z`);

const zoneOffset = fc.integer({ min: -12 * 60, max: 14 * 60 }).map((minutes) => {
  const size = Math.abs(minutes);
  const pad = (part: number) => String(part).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
});

const anyFraction = fc.oneof(
  fc.constant(""),
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 9 }).map((digits) => `.${digits}`),
);

/** A Timestamp in any legal form: any offset, 0 to 9 digits of a second (sheet PJ-24). */
export const timestampSpelling: fc.Arbitrary<string> = fc
  .tuple(instants(day), anyFraction, fc.oneof(fc.constant("Z"), zoneOffset))
  .map(([seconds, fraction, zone]) => `${clockText(seconds)}${fraction}${zone}`);

const wholeSeconds = fc.oneof(
  fc.constantFrom(0, 1, 59, 3_600, 86_400, 2_147_483_648, durationLimit - 1, durationLimit),
  fc.nat({ max: 100_000 }),
  fc.integer({ min: 0, max: durationLimit }),
);

/** A Duration in its canonical form: one sign for the whole, 0, 3, 6 or 9 digits, `s`. */
export const durationText: fc.Arbitrary<string> = fc
  .tuple(fc.boolean(), wholeSeconds, nanoseconds)
  .map(([negative, seconds, nanos]) => {
    const sign = negative && (seconds > 0 || nanos > 0) ? "-" : "";
    return `${sign}${seconds}${canonicalFraction(nanos)}s`;
  });

/** A Duration in any legal form: 0 to 9 digits (sheet PJ-26). */
export const durationSpelling: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("", "-"), wholeSeconds, anyFraction)
  .map(([sign, seconds, fraction]) => `${sign}${seconds}${fraction}s`);
