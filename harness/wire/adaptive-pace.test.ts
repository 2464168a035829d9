import { expect, test } from "vitest";
import { createAdaptivePace } from "./adaptive-pace.ts";

/** A target that serves so many requests a second, asked as fast as the pace allows, or so fast where it allows all. */
function ask(seconds: number, served: number, fastest: number) {
  let now = 0;
  const pace = createAdaptivePace(() => now);
  const perSecond: { asked: number; refused: number }[] = [];
  let tokens = served;
  for (let second = 0; second < seconds; second += 1) {
    const counts = { asked: 0, refused: 0 };
    for (let start = now; now < start + 1000; ) {
      const step = 1000 / Math.min(fastest, pace.perSecond ?? fastest);
      now += step;
      tokens = Math.min(served, tokens + (served * step) / 1000);
      counts.asked += 1;
      if (tokens >= 1) {
        tokens -= 1;
        pace.answered();
      } else {
        counts.refused += 1;
        pace.refused("too many");
      }
    }
    perSecond.push(counts);
  }
  return perSecond;
}

test("a target that refuses nothing is asked as fast as ever", () => {
  expect(ask(5, 1000, 500).every(({ asked, refused }) => asked >= 500 && refused === 0)).toBe(true);
});

test("a target of a hundred requests a second is soon asked a hundred, of which it refuses few", () => {
  const seconds = ask(20, 100, 600);
  expect(seconds[0]?.refused).toBeGreaterThan(0);
  const later = seconds.slice(4);
  const sum = (of: "asked" | "refused") => later.reduce((total, one) => total + one[of], 0);
  expect(sum("asked") / later.length).toBeGreaterThan(80);
  expect(sum("refused") / sum("asked")).toBeLessThan(0.01);
});

test("a target that is unavailable now and then, and does not say why, is asked as fast as ever", () => {
  const pace = createAdaptivePace(() => 0);
  for (let call = 1; call <= 4000; call += 1) {
    if (call % 40 === 0) pace.refused("unavailable");
    else pace.answered();
  }
  expect(pace.perSecond).toBeUndefined();
});

test("a target that is often unavailable, and does not say why, is asked more slowly", () => {
  let now = 0;
  const pace = createAdaptivePace(() => now);
  for (let call = 1; call <= 200; call += 1) {
    pace.answered();
    now += 2.5;
  }
  now = 999;
  for (let call = 1; call <= 9; call += 1) pace.refused("unavailable");
  expect(pace.perSecond).toBeUndefined();
  pace.refused("unavailable");
  expect(pace.perSecond).toBeCloseTo(160, 0);
});

test("a target that refuses all but a few is still asked twenty a second, and more as time goes on", () => {
  let now = 0;
  const pace = createAdaptivePace(() => now);
  pace.refused("too many");
  expect(pace.perSecond).toBe(20);
  now = 10_000;
  expect(pace.perSecond).toBeCloseTo(24.4, 1);
  pace.refused("too many");
  expect(pace.perSecond).toBe(20);
});

test("a target that says of one call in forty that there are too many, however slowly they come, is asked nearly as fast as ever", () => {
  let now = 0;
  const pace = createAdaptivePace(() => now);
  const paces: number[] = [];
  for (let call = 1; now < 60_000; call += 1) {
    now += 1000 / Math.min(600, pace.perSecond ?? 600);
    if (call % 40 === 0) pace.refused("too many");
    else pace.answered();
    paces.push(pace.perSecond ?? 600);
  }
  expect(Math.min(...paces)).toBeGreaterThan(100);
  expect(paces.at(-1)).toBeGreaterThan(500);
  for (let call = 1; call <= 10; call += 1) pace.refused("too many");
  expect(pace.perSecond).toBeLessThan(500);
});
