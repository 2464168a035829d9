import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setFairTimeout } from "./fair-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A timeout of 100 ms, and when it was up; `late` makes this thread late by so much. */
function begin() {
  const lag = { totalMs: 7 };
  const started = Date.now();
  let upAt: number | undefined;
  const clear = setFairTimeout(
    () => {
      upAt = Date.now() - started;
    },
    100,
    lag,
  );
  return { clear, late: (ms: number) => (lag.totalMs += ms), upAt: () => upAt };
}

test("it is up when it is due where the thread was there all the time", () => {
  const { upAt, late } = begin();
  late(20);
  vi.advanceTimersByTime(1000);
  expect(upAt()).toBe(100);
});

test("what the thread was late is waited for once more, and what it is late meanwhile, too", () => {
  const { upAt, late } = begin();
  late(60);
  vi.advanceTimersByTime(159);
  expect(upAt()).toBeUndefined();
  vi.advanceTimersByTime(1000);
  expect(upAt()).toBe(160);
});

test("no longer than as long again", () => {
  const { upAt, late } = begin();
  late(5000);
  vi.advanceTimersByTime(100);
  late(5000);
  vi.advanceTimersByTime(1000);
  expect(upAt()).toBe(200);
});

test("taken back, it never is up, however late the thread was", () => {
  const { clear, upAt, late } = begin();
  late(80);
  vi.advanceTimersByTime(120);
  clear();
  vi.advanceTimersByTime(1000);
  expect(upAt()).toBeUndefined();
});
