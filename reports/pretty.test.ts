import fc from "fast-check";
import { expect, test } from "vitest";
import { prettyJson } from "./pretty.ts";

test("lays out objects and arrays", () => {
  expect(prettyJson('{"a":{"b":[1,"x, {y}: \\" z"],"c":{}},"d":[]}')).toBe(
    '{\n  "a": {\n    "b": [\n      1,\n      "x, {y}: \\" z"\n    ],\n    "c": {}\n  },\n  "d": []\n}',
  );
});

test("keeps what a parse would lose: long numbers, doubled keys, escapes", () => {
  expect(prettyJson('{"n":9007199254740993,"n":1.0,"s":"\\u0041"}')).toBe(
    '{\n  "n": 9007199254740993,\n  "n": 1.0,\n  "s": "\\u0041"\n}',
  );
});

test.each(["", "plain", "<html>", '{"cut":', '"a string"', "12", "{}{}"])("leaves %j as it is", (text) => {
  expect(prettyJson(text)).toBe(text);
});

test("means the same as the text it was given, and lays out as JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const text = JSON.stringify(value);
      expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
    }),
  );
});
