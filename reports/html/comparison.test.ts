import { expect, test } from "vitest";
import { compare, fold, glanceAt } from "./comparison.ts";

const linesOf = (expected: string, actual: string) => {
  const comparison = compare(expected, actual);
  if (comparison.kind !== "lines") throw new Error(`compared as ${comparison.kind}`);
  return comparison.lines.map(({ sign, spans }) =>
    [sign, ...spans.map(({ text, changed }) => (changed ? `«${text}»` : text))].join(""),
  );
};

test("documents are laid over each other, and what changed within a line is marked", () => {
  expect(linesOf('{"a":"one two","b":2}', '{"a":"one three","b":2,"c":3}')).toEqual([
    " {",
    '−  "a": "one «two»"',
    '+  "a": "one «three»"',
    '   "b": 2',
    '+  "c": 3',
    " }",
  ]);
});

test("what was before and after something is compared, whatever was expected of it", () => {
  const actual = 'before {"a":1,"b":2}, after {"a":1,"b":3}';
  expect(compare("nothing changed", actual)).toMatchObject({ labels: ["before", "after"] });
  expect(glanceAt("nothing changed", actual)).toEqual(["nothing changed", '− "b": 2  + "b": 3']);
});

test("a document cut short differs in what was seen of it, not in its missing end", () => {
  expect(linesOf('{"a":1,"b":2}', '{"a":1,"b":2,"c":"lo…')).toEqual([" {", '   "a": 1', '   "b": 2', '+  "c": "lo…']);
});

test("sentences that have most in common get their differences marked; others stand apart", () => {
  expect(compare("first event has sequence 2", "first event has sequence 1")).toEqual({
    kind: "words",
    before: [
      { text: "first event has sequence ", changed: false },
      { text: "2", changed: true },
    ],
    after: [
      { text: "first event has sequence ", changed: false },
      { text: "1", changed: true },
    ],
  });
  expect(compare("no secret anywhere in the reply", "timed out")).toEqual({ kind: "apart" });
  expect(compare("", "")).toEqual({ kind: "apart" });
});

test("long runs of equal lines fold, with some kept around each change", () => {
  const line = (sign: " " | "+", text: string) => ({ sign, spans: [{ text, changed: false }] });
  const equal = (from: number) => Array.from({ length: 20 }, (_, index) => line(" ", String(from + index)));
  const folded = fold([...equal(0), line("+", "new"), ...equal(20)]);
  expect(folded.map((one) => ("folded" in one ? one.folded.length : one.spans[0]?.text))).toEqual([
    17,
    "17",
    "18",
    "19",
    "new",
    "20",
    "21",
    "22",
    17,
  ]);
});
