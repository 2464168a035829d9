import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { abortAfter, createAllowance, soonAfter, within } from "./deadline.ts";

test("a deadline comes although garbage is collected and nobody waits for it", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const signal = abortAfter(60, new AbortController().signal);
  for (let round = 0; round < 12 && !signal.aborted; round += 1) {
    collectGarbage();
    await pause(20);
  }
  expect(signal.aborted).toBe(true);
});

test("it ends with the other signal, with its reason", () => {
  const other = new AbortController();
  const signal = abortAfter(60_000, other.signal);
  other.abort("given up");
  expect(signal.reason).toBe("given up");
});

test("those who wait at the same time spend an allowance once, those who wait in turn each", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const allowance = createAllowance(1000);
  for (let waiting = 0; waiting < 40; waiting += 1) expect(allowance.take(400)).toBe(true);
  vi.advanceTimersByTime(200);
  expect(allowance.take(400)).toBe(true);
  vi.advanceTimersByTime(600);
  expect(allowance.take(401)).toBe(false);
  expect(allowance.take(400)).toBe(true);
  vi.advanceTimersByTime(5000);
  expect(allowance.take(1)).toBe(false);
});

test("what never comes is not waited for beyond its bound; what comes in time is had", async () => {
  await expect(within(20, new Promise(() => {}), "it did not come to its end")).rejects.toThrow(
    "it did not come to its end",
  );
  await expect(within(60_000, Promise.resolve(3), "late")).resolves.toBe(3);
});

test("what no signal ends is given up soon after it; what comes in time is had", async () => {
  const never = new Promise<number>(() => {});
  const given = AbortSignal.abort();
  const late = new Error("it goes on");
  await expect(soonAfter(given, 20, never, late)).rejects.toThrow("it goes on");
  await expect(soonAfter(AbortSignal.timeout(20), 20, never, late)).rejects.toThrow("it goes on");
  await expect(soonAfter(given, 60_000, pause(20, 3), late)).resolves.toBe(3);
  await expect(soonAfter(new AbortController().signal, 0, pause(20, 3), late)).resolves.toBe(3);
});
