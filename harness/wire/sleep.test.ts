import { expect, test } from "vitest";
import { sleep } from "./sleep.ts";

async function duration(ms: number, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  await sleep(ms, signal);
  return performance.now() - started;
}

test("lasts as long as asked for", async () => {
  expect(await duration(30, new AbortController().signal)).toBeGreaterThan(25);
});

test("ends with the signal, and does not begin after it", async () => {
  expect(await duration(5000, AbortSignal.timeout(10))).toBeLessThan(2000);
  expect(await duration(5000, AbortSignal.abort())).toBeLessThan(100);
});
