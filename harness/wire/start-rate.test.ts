import { expect, test } from "vitest";
import { createStartRate } from "./start-rate.ts";

test("starts come at their rate, and not all at once after the process was busy", async () => {
  const perSecond = 100;
  const rate = createStartRate(() => perSecond);
  const starts: number[] = [];
  const tasks = Array.from({ length: 40 }, async () => {
    await rate.waitForStart();
    starts.push(performance.now());
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const until = performance.now() + 200;
  while (performance.now() < until);
  const before = starts.length;
  await new Promise((resolve) => setTimeout(resolve, 1));
  // As many as a moment has, not the twenty that were due.
  expect(starts.length - before).toBeLessThan(8);
  await Promise.all(tasks);
  const [first = 0, last = 0] = [starts.at(0), starts.at(-1)];
  expect(last - first).toBeGreaterThan((1000 * (tasks.length - 5)) / perSecond);
});

test("without a cap nothing waits, and what is urgent starts before what asked earlier", async () => {
  expect(createStartRate(() => Number.POSITIVE_INFINITY).waitForStart()).toBe(undefined);
  const rate = createStartRate(() => 200);
  const started: string[] = [];
  await Promise.all(
    ["a", "b", "urgent"].map(async (name) => {
      await rate.waitForStart(name === "urgent");
      started.push(name);
    }),
  );
  expect(started[0]).toBe("urgent");
});
