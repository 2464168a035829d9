import fc from "fast-check";
import { expect, test } from "vitest";
import { layOutJson, looksLikeJson, textOfLine } from "./json-lines.ts";

const laidOut = (text: string) => layOutJson(text)?.map(textOfLine).join("\n");

test("lays a document out as JSON.stringify does, commas aside", () => {
  const container = fc.jsonValue().filter((value) => typeof value === "object" && value !== null);
  fc.assert(
    fc.property(container, (value) => {
      const expected = JSON.stringify(value, undefined, 2)
        .split("\n")
        .map((line) => line.replace(/,$/, ""))
        .join("\n");
      expect(laidOut(JSON.stringify(value))).toBe(expected);
    }),
  );
});

test("every token stays as it was received", () => {
  expect(laidOut('{"a":1.0,"a":9007199254740993,"b":"\\u0041"}')).toBe(
    '{\n  "a": 1.0\n  "a": 9007199254740993\n  "b": "\\u0041"\n}',
  );
});

test("names the place of every value", () => {
  const lines = layOutJson('{"items":[{"id":"x"},7],"a":{"b.c":null}}') ?? [];
  expect(lines.map((line) => line.path)).toEqual([
    "",
    "items",
    "items[0]",
    "items[0].id",
    "",
    "items[1]",
    "",
    "a",
    "a.b.c",
    "",
    "",
  ]);
});

test("a text cut short is laid out as far as it goes, with its note", () => {
  expect(laidOut('{"a":[1,{"b":"two… (9000 bytes in all)')).toBe(
    '{\n  "a": [\n    1\n    {\n      "b": "two\n… (9000 bytes in all)',
  );
});

test("no text makes it fail", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ a1\n…') }), (text) => {
      layOutJson(text);
    }),
  );
});

test.each(["", "plain", "[not json", "{oops}", '"text"', "12", "hex:00ff"])("%j is no document", (text) => {
  expect(looksLikeJson(text)).toBe(false);
  expect(layOutJson(text)).toBeUndefined();
});
