import { expect, test } from "vitest";
import type { CaseResult } from "../../case/result.ts";
import { isMissed } from "../figures.ts";
import { figuresOfRed, firstRedAt } from "./runs.ts";

const ran = (outcome: CaseResult["outcome"], startedAt: number | undefined, durationMs: number) =>
  ({ outcome, durationMs, ...(startedAt === undefined ? {} : { startedAt }) }) as CaseResult;

test("the first red case is the one that ended first, and no invariant", () => {
  const cases = [ran("held", 0, 1), ran("violated", 10, 500), ran("violated", 200, 50), ran("violated", undefined, 0)];
  expect(firstRedAt(cases)).toBe(250);
  expect(firstRedAt([ran("held", 0, 1)])).toBeUndefined();
});

test("medians and the most stand beside their goals; runs without a red case have no first", () => {
  const figures = figuresOfRed([
    { fault: "a", wallMs: 1, overGreen: 1, firstRedMs: 1000 },
    { fault: "b", wallMs: 1, overGreen: 4, firstRedMs: 3000 },
    { fault: "c", wallMs: 1, overGreen: 1.2 },
  ]);
  expect(Object.fromEntries(figures.map(({ name, value, goal }) => [name, [value, goal]]))).toEqual({
    redRuns: [3, undefined],
    redRunsThatWereRed: [2, undefined],
    redOverGreenMedian: [1.2, 1.5],
    redOverGreenMost: [4, 3],
    firstRedMsMedian: [2000, 1500],
  });
});

test("where nothing was measured no goal is met", () => {
  const judged = figuresOfRed([]).filter(({ goal }) => goal !== undefined);
  expect(judged.every(isMissed)).toBe(true);
});
