import { expect, test } from "vitest";
import { abortPromise, evaluateUntilFailure, type Outcome } from "./first-failure.ts";

const passed: Outcome = { kind: "passed" };
const failed: Outcome = { kind: "failed", error: "why" };

/** Hands out the items in order. */
function sourceOf<Item>(items: readonly Item[]): () => Item | undefined {
  let index = 0;
  return () => items[index++];
}

test("items are evaluated to the last where none fails, in order", async () => {
  const evaluations = await evaluateUntilFailure({
    next: sourceOf([1, 2, 3]),
    evaluate: async () => passed,
    width: 2,
    signal: undefined,
  });
  expect(evaluations).toEqual([1, 2, 3].map((item) => ({ item, outcome: passed })));
});

test("after a failure nothing is started, and what is in flight is awaited", async () => {
  const slow = Promise.withResolvers<Outcome>();
  const pending = evaluateUntilFailure({
    next: sourceOf(["slow", "fails", "never"]),
    evaluate: (item) => (item === "slow" ? slow.promise : Promise.resolve(failed)),
    width: 2,
    signal: undefined,
  });
  setTimeout(() => slow.resolve(failed), 10);
  expect(await pending).toEqual([
    { item: "slow", outcome: failed },
    { item: "fails", outcome: failed },
  ]);
});

test("the source is told how many were skipped, and may replace them", async () => {
  let issued = 0;
  const evaluations = await evaluateUntilFailure({
    next: (skipped: number) => (issued - skipped < 2 ? issued++ : undefined),
    evaluate: async (item): Promise<Outcome> => ({ kind: item < 3 ? "skipped" : "passed" }),
    width: 1,
    signal: undefined,
  });
  expect(evaluations.map(({ item }) => item)).toEqual([0, 1, 2, 3, 4]);
});

test("an abort returns at once, without the outcomes that come later", async () => {
  const controller = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const pending = evaluateUntilFailure({
    next: sourceOf(["quick", "late"]),
    evaluate: (item) => (item === "quick" ? Promise.resolve(passed) : late.promise),
    width: 2,
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(), 10);
  const evaluations = await pending;
  late.resolve(failed);
  await late.promise;
  expect(evaluations).toEqual([
    { item: "quick", outcome: passed },
    { item: "late", outcome: undefined },
  ]);
});

test("abortPromise resolves with the signal, at once where it has aborted", async () => {
  await abortPromise(AbortSignal.abort()).promise;
  const controller = new AbortController();
  const { promise, release } = abortPromise(controller.signal);
  release();
  controller.abort();
  expect(await Promise.race([promise, Promise.resolve("pending")])).toBe("pending");
});
