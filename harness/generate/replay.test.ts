import fc from "fast-check";
import { expect, test } from "vitest";
import { replay } from "./replay.ts";

const numbers = fc.integer({ min: 0, max: 1000 });
const fails = async (value: number) => {
  if (value >= 10) throw new Error("large");
};
const found = await fc.check(fc.asyncProperty(numbers, fails), { seed: 5, numRuns: 50 });
const path = found.counterexamplePath ?? "";

test("a path brings back its counterexample and its error", async () => {
  expect(path).toContain(":");
  const again = await replay(numbers, fails, 5, path, undefined);
  expect(again).toMatchObject({ counterexample: found.counterexample?.[0], error: { message: "large" } });
});

test("one value alone is run: one that passes is no failure, whatever its siblings do", async () => {
  let runs = 0;
  const once = async (value: number) => {
    runs += 1;
    if (runs > 1) throw new Error(`sibling ${value}`);
  };
  expect(await replay(numbers, once, 5, path, undefined)).toBeUndefined();
  expect(runs).toBe(1);
});

test("an abort ends it, before it begins or while it hangs", async () => {
  const aborted = AbortSignal.abort();
  expect(await replay(numbers, () => Promise.reject(new Error("must not run")), 5, path, aborted)).toBeUndefined();
  const soon = AbortSignal.timeout(10);
  expect(await replay(numbers, () => new Promise(() => {}), 5, path, soon)).toBeUndefined();
});

test("a path that leads to no value is an error", async () => {
  await expect(replay(numbers, fails, 5, "0:999:999", undefined)).rejects.toThrow("path");
});
