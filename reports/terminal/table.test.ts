import { expect, test } from "vitest";
import { namedRows, wrapped } from "./table.ts";

test("text is broken between words, and no word is", () => {
  expect(wrapped("one two  three fourteen", 9)).toEqual(["one two", "three", "fourteen"]);
  expect(wrapped("", 9)).toEqual([""]);
});

const rows = [
  ["short", "a text that is somewhat longer than the line"],
  ["a-name-that-takes-more-than-its-share", "and its text"],
  ["bare", ""],
] as const;

test("no row is wider than the terminal, and long names do not push all texts aside", () => {
  const lines = namedRows(rows, 40);
  expect(lines).toEqual([
    "short  a text that is somewhat longer",
    "       than the line",
    "a-name-that-takes-more-than-its-share",
    "    and its text",
    "bare",
  ]);
});

test("without a terminal each row is one line", () => {
  expect(namedRows(rows, undefined)).toEqual([
    "short  a text that is somewhat longer than the line",
    "a-name-that-takes-more-than-its-share  and its text",
    "bare",
  ]);
});
