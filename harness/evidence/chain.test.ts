import { expect, test } from "vitest";
import { createChain, unseal } from "./chain.ts";

function sealed(...events: readonly object[]): string[] {
  const chain = createChain();
  return events.map((event) => chain.seal(event));
}

const opened = (lines: readonly string[]) => [...unseal(lines)];

test("what was sealed is read back, with the hash of the last line", () => {
  const events = [{ a: 1 }, { b: 'x,"hash":"' }, { c: null }];
  const lines = sealed(...events);
  expect(opened(lines).map(({ body }) => JSON.parse(body))).toEqual(events);
  expect(lines.at(-1)).toContain(opened(lines).at(-1)?.hash);
});

test.each([
  ["a changed line", (lines: string[]) => lines.with(1, (lines[1] ?? "").replace("2", "3")), /line 2 was edited/],
  ["a line taken out", (lines: string[]) => lines.toSpliced(1, 1), /line 2 was edited/],
  ["lines exchanged", (lines: string[]) => [lines[1] ?? "", lines[0] ?? ""], /line 1 was edited/],
  ["a line repeated", (lines: string[]) => [...lines, lines[2] ?? ""], /line 4 was edited/],
  ["a line cut short", (lines: string[]) => lines.with(2, (lines[2] ?? "").slice(0, -5)), /line 3 is cut short/],
])("%s breaks the chain there", (_what, edit, sentence) => {
  const lines = sealed({ a: 1 }, { a: 2 }, { a: 3 });
  expect(() => opened(edit(lines))).toThrow(sentence);
});
