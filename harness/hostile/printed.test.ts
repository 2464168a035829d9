import { expect, test } from "vitest";
import { harmIn } from "./printed.ts";

test.each([
  "::error::a",
  "  \t::add-mask::abcdef",
  "::error file=a.ts,line=1::b",
  "note: ##[error]a",
  "##vso[task.setvariable variable=a]b",
  "a\r::warning::b",
])("%j is a command", (text) => {
  expect(harmIn(`before\n${text}\nafter`).commands).toHaveLength(1);
});

test.each(["a ::error::b", "a::b", ": :error::", "## [error]", "alpha.v1::Secret"])("%j is none", (text) => {
  expect(harmIn(text)).toEqual({ commands: [], controls: [] });
});

test("control characters are named", () => {
  expect(harmIn("a\u001b[2J\u0007\r\u009b\u202e\tb\n").controls).toEqual([
    "U+001b",
    "U+0007",
    "U+000d",
    "U+009b",
    "U+202e",
  ]);
});
