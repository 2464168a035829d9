import { expect, test } from "vitest";
import type { Judged } from "./judge.ts";
import { comparedWithControl, countsOf, isAsExpected, lineOf, withTable } from "./table.ts";

const fine: Judged = {
  id: "tcp/mute",
  says: "says nothing | at all",
  exit: 3,
  seconds: 10.26,
  peakMb: 217.4,
  canaries: 0,
  overBounds: [],
  flaws: [],
};
const leaking: Judged = { ...fine, id: "reflecting/all", exit: 4, canaries: 7, flaws: ["stdout: 7 canaries"] };
const { exit: _, ...unended } = fine;
const killed: Judged = { ...unended, id: "tcp/endless", overBounds: ["it was killed after 110 s"] };

test("the counts are of all", () => {
  expect(countsOf([fine, leaking, killed])).toBe("3 targets, 1 as expected, 7 canaries, 1 exit 4, 1 over the bounds");
});

test.each([
  [fine, true],
  [leaking, false],
  [{ ...fine, canaries: 1 }, false],
  [killed, false],
])("%o is as expected: %s", (judged, expected) => {
  expect(isAsExpected(judged)).toBe(expected);
});

test("a line says what is off below it", () => {
  expect(lineOf(fine)).toMatch(/^✓ tcp\/mute +exit 3 +10\.3 s +217 MB +0 canaries$/);
  expect(lineOf(killed)).toMatch(/^✗ tcp\/endless +killed .*\n {4}it was killed after 110 s$/);
});

test("the table stands between its markers, and nothing else changes", () => {
  const page = "# Safety\n<!-- hostile targets -->\nold\n<!-- /hostile targets -->\nend\n";
  const written = withTable(page, [fine]);
  expect(written).toContain("| tcp/mute | says nothing \\| at all | 3 | 10.3 | 217 | 0 |");
  expect(written).toMatch(/^# Safety\n<!-- hostile targets -->\n\n(?:.|\n)*\n\n<!-- \/hostile targets -->\nend\n$/);
  expect(written).not.toContain("old");
  expect(withTable(written, [fine])).toBe(written);
  expect(() => withTable("# Safety\n", [fine])).toThrow(/has no <!-- hostile targets -->/);
});

test("no run holds much more memory than the one on the references", () => {
  const usual = { ...fine, id: "control/reference", peakMb: 400 };
  const over = (peakMb: number) => comparedWithControl([usual, { ...fine, peakMb }])[1]?.overBounds;
  expect(over(500)).toEqual([]);
  expect(over(501)).toEqual(["it held more than 1.25 times the 400 MB of a run on the references"]);
  expect(comparedWithControl([{ ...fine, peakMb: 9000 }])[0]?.overBounds).toEqual([]);
});
