import { expect, onTestFinished, test } from "vitest";
import { measureOwnLag } from "./own-lag.ts";
import { sleep } from "./sleep.ts";

test("while this thread computes it is late, and as late as it computes", () => {
  let ms = 0;
  const lag = measureOwnLag(() => ms);
  onTestFinished(() => lag.stop());
  expect(lag.totalMs).toBe(0);
  ms = 10;
  expect(lag.totalMs).toBe(0);
  ms = 60;
  expect(lag.totalMs).toBe(50);
});

test("lateness adds up, and time that is slept is none", async () => {
  const lag = measureOwnLag();
  onTestFinished(() => lag.stop());
  await sleep(30, AbortSignal.timeout(1000));
  const before = lag.totalMs;
  const end = performance.now() + 120;
  while (performance.now() < end);
  await sleep(30, AbortSignal.timeout(1000));
  expect(lag.totalMs - before).toBeGreaterThan(100);
});
