import { expect, test } from "vitest";
import { likeness } from "./sketch.ts";

test("a sketch is like itself, and like one that is a little lighter", () => {
  expect(likeness("0129\n9210\n", "0129\n9210\n")).toBeCloseTo(1);
  expect(likeness("0128\n8210\n", "1239\n9321\n")).toBeCloseTo(1);
});

test("it is not like one of something else, of another size, or of nothing", () => {
  expect(likeness("0129\n9210\n", "9009\n0990\n")).toBeLessThan(0.5);
  expect(likeness("0129\n9210\n", "0129\n")).toBe(0);
  expect(likeness("0129\n9210\n", "9999\n9999\n")).toBe(0);
  expect(likeness("", "")).toBe(0);
});
