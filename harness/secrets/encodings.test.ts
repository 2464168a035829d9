import { describe, expect, test } from "vitest";
import { bytesOf, decodingsOf, encodingsOf, isDistinctive, replaceRuns } from "./encodings.ts";

const value = 'kJ8#"/+é secret-0123456789';
const bytes = bytesOf(value);
const formsOf = (text: string) => decodingsOf(Buffer.from(text)).map(({ form, mayNest }) => `${form} ${mayNest}`);
const decodes = (text: string, wanted: string) =>
  decodingsOf(Buffer.from(text)).some((one) => one.bytes.includes(Buffer.from(wanted)));

describe("encodingsOf", () => {
  test("gives the usual encodings of a text by name", () => {
    const encodings = encodingsOf(value);
    expect(encodings.get(value)).toBe("raw");
    expect(encodings.get(JSON.stringify(value).slice(1, -1))).toBe("JSON-escaped");
    expect(encodings.get(encodeURIComponent(value))).toBe("percent-encoded");
    expect(encodings.get([...value].reverse().join(""))).toBe("reversed");
    expect(encodings.get(bytes.toString("hex"))).toBe("hex");
    expect(encodings.get(bytes.toString("hex").toUpperCase())).toBe("hex");
  });

  test.each([0, 1, 2, 3, 4])(
    "has a base64 part that stands in base64 of a text with the value after %i bytes",
    (before) => {
      const around = Buffer.concat([Buffer.alloc(before, "x"), bytes, Buffer.from("after it")]);
      for (const [form, name] of [
        [around.toString("base64"), "base64"],
        [around.toString("base64url"), "base64url"],
      ] as const) {
        const parts = [...encodingsOf(value)].filter(([, of]) => of === name || of === "base64").map(([text]) => text);
        expect(
          parts.some((part) => form.includes(part)),
          form,
        ).toBe(true);
      }
    },
  );

  test("of bytes that are no UTF-8 has the encodings of bytes alone, and none that is too short", () => {
    const names = new Set(encodingsOf(Uint8Array.from({ length: 20 }, (_, index) => 255 - index)).values());
    expect(names).toEqual(new Set(["hex", "base64", "base64url"]));
    expect([...encodingsOf("abc").keys()]).toEqual([]);
  });
});

describe("decodingsOf", () => {
  test.each<[string, string]>([
    ["JSON escapes", '"\\u006bJ8 \\"x\\""'],
    ["percent escapes", "%6bJ8%20%22x%22"],
  ])("undoes %s, among plain characters", (_what, text) => {
    expect(decodes(text, 'kJ8 "x"')).toBe(true);
  });

  test("decodes runs of hex in any case, from either digit, and of base64, from any character", () => {
    const hex = [...bytes.toString("hex")].map((digit, index) => (index % 2 ? digit.toUpperCase() : digit)).join("");
    expect(decodes(`id=f${hex};`, value)).toBe(true);
    for (const before of ["", "a", "ab", "abc"]) {
      expect(decodes(`id=${before}${bytes.toString("base64")};`, value), before).toBe(true);
      expect(decodes(`id=${before}${bytes.toString("base64url")};`, value), before).toBe(true);
    }
  });

  test("says which results may be encoded in turn: text, read from the start of its run", () => {
    expect(formsOf(Buffer.from("plain text, long enough").toString("base64"))).toEqual([
      "base64 true",
      "base64 false",
      "base64 false",
      "base64 false",
    ]);
    expect(formsOf(Buffer.alloc(24, 0xff).toString("hex"))).toEqual(["hex false", "hex false"]);
  });

  test("finds nothing in ids, short runs and plain text", () => {
    expect(formsOf('{"id":"01890a5d-ac96-774b-bcce-b302099a8057","short":"YWJjZGVmZ2hp"}')).toEqual([]);
  });
});

test("replaceRuns replaces the runs that have a label, and leaves the others", () => {
  const [one, other] = [bytes.toString("hex"), Buffer.from("something else, harmless").toString("hex")];
  const replaced = replaceRuns(`a ${one} b ${other}`, (run) => (run === one ? "the key" : undefined));
  expect(replaced).toBe(`a <encoded the key> b ${other}`);
});

test("a value is distinctive where it is long and of many different bytes", () => {
  expect(isDistinctive("a secret of many different letters")).toBe(true);
  expect(isDistinctive("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")).toBe(false);
  expect(isDistinctive("short")).toBe(false);
});

test.each([
  ["every byte in its order", Uint8Array.from({ length: 256 }, (_, byte) => byte), false],
  ["an alphabet", "abcdefghijklmnopqrstuvwxyz", false],
  ["zeros", new Uint8Array(64), false],
  ["a token", "q8f3n0v7x2m5k9c1w4z6", true],
])("%s", (_what, value, distinctive) => {
  expect(isDistinctive(value)).toBe(distinctive);
});
