import { expect, test } from "vitest";
import { withMarked } from "../output/marked-page.ts";
import { countsOf, disturbanceOf, figure, markdownOf, warningOf } from "./figures.ts";

const figures = [
  figure("cpu", "CPU per exchange", 2.004, 2),
  figure("peakMb", "peak memory in MB", 431, 350),
  figure("none", "what came to no number", Number.NaN, 1),
  figure("exchanges", "exchanges", 19_400),
];
const quiet = disturbanceOf(2, 0.2, 2.1);

test("the last line counts the goals missed, and what is no number is missed", () => {
  expect(countsOf(figures)).toBe("3 goals, 2 missed: peakMb (431, at most 350), none (not measured, at most 1)");
  expect(countsOf(figures.slice(0, 1))).toBe("1 goals, 0 missed");
});

test("a machine that did something else says so", () => {
  expect(warningOf(quiet)).toBeUndefined();
  expect(warningOf(disturbanceOf(2, 1.4, 2.1))).toMatch(/^Disturbed: a load of 1\.4 at the start and 2\.1 at the end/);
  expect(warningOf(disturbanceOf(2, 0.2, 3.2))).toMatch(/^Disturbed/);
});

test("the table takes the place of the one before, and of nothing else", () => {
  const page = "before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n";
  const once = withMarked(page, "bench", markdownOf(figures, quiet));
  expect(once).toContain("| peak memory in MB | 431 | 350 | missed |");
  expect(once).toContain("| exchanges | 19400 |  |  |");
  expect(once).not.toContain("old");
  expect(once.startsWith("before\n") && once.endsWith("<!-- /bench -->\nafter\n")).toBe(true);
  expect(withMarked(once, "bench", markdownOf(figures, quiet))).toBe(once);
  expect(markdownOf(figures, disturbanceOf(2, 3, 3))).toContain("Disturbed");
  expect(() => withMarked("nothing", "bench", markdownOf(figures, quiet))).toThrow(/has no <!-- bench -->/);
});
