import { fromJson, toJson } from "@bufbuild/protobuf";
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteEdges, edgeStrings, everyByte, int64Edges, uint64Edges } from "./edges.ts";
import * as scalars from "./scalars.ts";

function sample<T>(arbitrary: fc.Arbitrary<T>): T[] {
  return fc.sample(arbitrary, { numRuns: 500, seed: 20260101 });
}

function within(texts: readonly string[], least: bigint, most: bigint): boolean {
  return texts.every((text) => /^(0|-?[1-9]\d*)$/.test(text) && BigInt(text) >= least && BigInt(text) <= most);
}

test("texts never hold a lone surrogate, and the edges are among them", () => {
  expect(edgeStrings.every((text) => text.isWellFormed())).toBe(true);
  expect(new Set(edgeStrings).size).toBe(edgeStrings.length);
  const texts = sample(scalars.unicodeText);
  expect(texts.every((text) => text.isWellFormed())).toBe(true);
  expect(texts.some((text) => edgeStrings.includes(text))).toBe(true);
  expect(texts.some((text) => /[\u{10000}-\u{10ffff}]/u.test(text))).toBe(true);
});

test("names are printable, trimmed, and of any script", () => {
  const names = sample(scalars.nameText);
  expect(names.every((name) => name !== "" && name === name.trim() && name.isWellFormed())).toBe(true);
  expect(names.some((name) => /\p{Cc}/u.test(name))).toBe(false);
  expect(names.some((name) => !/^\p{Script=Latin}*$/u.test(name))).toBe(true);
});

test("UUIDs are of version 7", () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(sample(scalars.uuidV7).every((text) => form.test(text))).toBe(true);
});

test("64-bit integers stay in range and go past 2^53", () => {
  const signed = sample(scalars.int64Text);
  const unsigned = sample(scalars.uint64Text);
  expect(within([...signed, ...int64Edges], -(2n ** 63n), 2n ** 63n - 1n)).toBe(true);
  expect(within([...unsigned, ...uint64Edges], 0n, 2n ** 64n - 1n)).toBe(true);
  expect(signed.filter((text) => !Number.isSafeInteger(Number(text))).length).toBeGreaterThan(100);
  expect(signed).toContain("9223372036854775807");
  expect(unsigned).toContain("18446744073709551615");
});

test("32-bit integers stay in range and reach its end", () => {
  const numbers = sample(scalars.uint32Number);
  expect(numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 2 ** 32)).toBe(true);
  expect(numbers).toContain(2 ** 32 - 1);
});

test("bytes cover nothing, all 256 values, and every padding", () => {
  const values = sample(scalars.anyBytes);
  expect(values.some((bytes) => bytes.length === 0)).toBe(true);
  expect(values.some((bytes) => new Set(bytes).size === 256)).toBe(true);
  expect(everyByte.every((value, index) => value === index)).toBe(true);
  const texts = sample(scalars.bytesText);
  for (const end of [/[^=]$/, /[^=]=$/, /==$/, /[+/]/]) expect(texts.some((text) => end.test(text))).toBe(true);
});

test("edge bytes are handed out as copies", () => {
  for (const bytes of sample(scalars.anyBytes)) bytes.fill(7);
  expect(byteEdges[0]).toHaveLength(0);
  expect(byteEdges.at(-1)).toEqual(everyByte);
  expect(everyByte[0]).toBe(0);
});

describe("timestamps and durations", () => {
  const timestamp = (text: string): Timestamp => fromJson(TimestampSchema, text);
  const duration = (text: string): Duration => fromJson(DurationSchema, text);
  const digitsOf = (text: string) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;

  test("canonical timestamps come back as written", () => {
    const texts = sample(scalars.timestampText);
    for (const text of texts) expect(toJson(TimestampSchema, timestamp(text))).toBe(text);
    expect(new Set(texts.map(digitsOf))).toEqual(new Set([0, 3, 6, 9]));
    expect(texts.some((text) => text.startsWith("0001-01-01"))).toBe(true);
    expect(texts.some((text) => text.startsWith("9999-12-31"))).toBe(true);
  });

  test("every form of a timestamp is legal, with all digits and offsets", () => {
    const texts = sample(scalars.timestampSpelling);
    for (const text of texts) timestamp(text);
    expect(new Set(texts.map(digitsOf)).size).toBe(10);
    for (const zone of [/Z$/, /\+\d\d:\d\d$/, /-\d\d:\d\d$/]) expect(texts.some((text) => zone.test(text))).toBe(true);
  });

  test("canonical durations come back as written", () => {
    const texts = sample(scalars.durationText);
    for (const text of texts) expect(toJson(DurationSchema, duration(text))).toBe(text);
    expect(texts.some((text) => text.startsWith("-0."))).toBe(true);
    expect(texts.some((text) => text.startsWith("315576000000"))).toBe(true);
  });

  test("every form of a duration is legal, with all digits", () => {
    const texts = sample(scalars.durationSpelling);
    for (const text of texts) duration(text);
    expect(new Set(texts.map(digitsOf)).size).toBe(10);
  });
});
