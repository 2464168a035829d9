import { expect, test } from "vitest";
import type { Outcome, Results } from "../harness/case/result.ts";
import { historyKey, historyOf } from "./history.ts";
import { sampleCaseOf, sampleResults } from "./sample.ts";

const id = "wire/a";
const sample = sampleResults();

/** A run on a day, in which the case came to this; null: it did not have it. */
function runOn(day: number, outcome: Outcome | null, over: Partial<Results> = {}): Results {
  const cases = outcome === null ? [] : [sampleCaseOf({ id, outcome })];
  return { ...sample, startedAt: `2026-02-${String(day).padStart(2, "0")}T00:00:00.000Z`, cases, ...over };
}
const key = historyKey(sampleCaseOf({ id }));
const of = (...outcomes: readonly (Outcome | null)[]) => {
  const runs = outcomes.map((outcome, index) => runOn(index + 1, outcome));
  return historyOf(runs.at(-1) ?? sample, runs.slice(0, -1).toReversed()).cases[key];
};

test("a case fails since the first run of those in a row up to the last", () => {
  expect(of("held", "violated", "unproven", "violated")?.since).toBe("2026-02-02T00:00:00.000Z");
  expect(of("violated", null, "violated")?.since).toBe("2026-02-01T00:00:00.000Z");
  expect(of("violated", "held")?.since).toBeUndefined();
  expect(of("held", "held")).toBeUndefined();
});

test("its flake rate is how often it turned", () => {
  expect(of("held", "violated", "held", "violated")?.flakeRate).toBe(1);
  expect(of("held", "violated", "violated")?.flakeRate).toBe(0.5);
  expect(of("held", null, "violated")?.flakeRate).toBe(1);
  expect(of("violated")?.flakeRate).toBe(0);
});

test("runs stand in their order, once, and those of other targets or later ones do not", () => {
  const other = runOn(2, "held", { target: { ...sample.target, name: "another" } });
  const history = historyOf(runOn(5, "held"), [
    runOn(4, "violated"),
    other,
    runOn(1, "held"),
    runOn(4, "violated"),
    runOn(9, "held"),
  ]);
  expect(history.runs.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(["01", "04", "05"]);
  expect(history.cases[key]?.outcomes).toEqual(["held", "violated", "held"]);
});
