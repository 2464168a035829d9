import { expect, test } from "vitest";
import { likeDocument } from "./like-document.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const written = (stored: string | undefined, word = "cat") =>
  Buffer.from(likeDocument(stored, "mark", word), "base64").toString();

test.each([
  ['{"a":1}', '{"mark":"cat"}'],
  ["[1]", '["cat"]'],
  ['"dog"', '"cat"'],
  ["true", "false"],
  ["false", "true"],
  ["null", '{"mark":"cat"}'],
])("%s is written over with %s", (stored, expected) => {
  expect(written(base64(stored))).toBe(expected);
});

test("a number is written over with another number for each word", () => {
  const numbers = ["cat", "dog", "k3x9z1ab"].map((word) => written(base64("1.5"), word));
  expect(numbers.every((text) => /^\d+$/.test(text))).toBe(true);
  expect(new Set(numbers).size).toBe(3);
});

test("what is not known, or no document, is written over with an object", () => {
  for (const stored of [undefined, "", base64("not JSON")]) expect(written(stored)).toBe('{"mark":"cat"}');
});
