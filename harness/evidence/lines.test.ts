import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

function read(text: string): { readonly lines: readonly string[]; readonly rest: readonly string[] } {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-lines-")), "lines");
  writeFileSync(file, text);
  const rest: string[] = [];
  return { lines: [...linesOf(file, (left) => rest.push(left))], rest };
}

test.each([
  ["nothing", "", [], []],
  ["whole lines", "a\n\nb\n", ["a", "", "b"], []],
  ["a last line without its end", "a\nb", ["a"], ["b"]],
])("%s", (_what, text, lines, rest) => {
  expect(read(text)).toEqual({ lines, rest });
});

test("lines longer than what is read at a time are whole, letters of several bytes too", () => {
  const long = "ü".repeat(3_000_001);
  expect(read(`${long}\nz\n${long}`)).toEqual({ lines: [long, "z"], rest: [long] });
});
