import { expect, test } from "vitest";
import { checkTarget } from "../target/load.ts";
import { createBudget } from "./budget.ts";

const settingsWith = (patience: object) =>
  checkTarget({ alpha: { baseUrl: "http://127.0.0.1:1" }, patience }, "a test");

test.each([
  ["few cases", {}, 3, 1, 120_000],
  ["some cases", {}, 300, 1, 300_000],
  ["all cases", {}, 2739, 1, 600_000],
  ["four times the runs per property", {}, 2739, 4, 2_400_000],
  ["what the target file says", { runMs: 5_000 }, 2739, 1, 5_000],
])("a run of %s has its time", (_what, patience, cases, factor, totalMs) => {
  expect(createBudget(settingsWith(patience), cases, factor).totalMs).toBe(totalMs);
});

test("once it is up it says so, and by which key", () => {
  let ms = 1_000;
  const budget = createBudget(settingsWith({ runMs: 5_000 }), 10, 1, 0, () => ms);
  expect([budget.exceeded, budget.leftMs]).toEqual([undefined, 5_000]);
  ms = 7_000;
  expect(budget.leftMs).toBe(0);
  expect(budget.exceeded).toBe("the run's time was up before this case was put (patience.runMs: 5000)");
});

test("repeating takes a fifth of what the run took, or 15 seconds", () => {
  let ms = 0;
  const budget = createBudget(settingsWith({}), 10, 1, 0, () => ms);
  ms = 20_000;
  expect(budget.triageMs()).toBe(15_000);
  ms = 100_000;
  expect(budget.triageMs()).toBe(20_000);
});

test("once the time of the run is up, repeating takes 15 seconds", () => {
  let ms = 0;
  const budget = createBudget(settingsWith({ runMs: 300_000 }), 10, 1, 0, () => ms);
  ms = 299_000;
  expect(budget.triageMs()).toBe(59_800);
  ms = 300_000;
  expect(budget.triageMs()).toBe(15_000);
});

test("undoing may take as long as a case, or a fifth of what the run took", () => {
  let ms = 0;
  const budget = createBudget(settingsWith({ caseMs: 9_000 }), 10, 1, 0, () => ms);
  ms = 20_000;
  expect(budget.undoMs()).toBe(9_000);
  ms = 100_000;
  expect(budget.undoMs()).toBe(20_000);
});

test("what histories go on for is given beside, however long a case may take", () => {
  expect(createBudget(settingsWith({}), 3, 4, 600_000).totalMs).toBe(480_000 + 600_000);
});
