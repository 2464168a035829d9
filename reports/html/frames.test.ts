import { expect, test } from "vitest";
import { aboutFrame, flagWords, ticksUpTo } from "./frames.ts";

test("envelope flags in words", () => {
  expect([0, 1, 2, 3].map(flagWords)).toEqual([
    "message (flags 0)",
    "message, compressed (flags 1)",
    "end of stream (flags 2)",
    "end of stream, compressed (flags 3)",
  ]);
});

test("an axis has a few round times, none beyond its end", () => {
  expect(ticksUpTo(1811)).toEqual([0, 500, 1000, 1500]);
  expect(ticksUpTo(50.4)).toEqual([0, 20, 40]);
  for (const end of [1, 3, 7, 99, 1000, 12_345, 3_600_000]) {
    const ticks = ticksUpTo(end);
    expect(ticks.length).toBeLessThanOrEqual(8);
    expect(Math.max(...ticks)).toBeLessThanOrEqual(end);
  }
});

test("a path that names a message is about its envelope", () => {
  expect(aboutFrame(["message[2].event.sequence", "other"], 2)).toEqual(["event.sequence"]);
  expect(aboutFrame(["message[2].event.sequence"], 1)).toEqual([]);
});
