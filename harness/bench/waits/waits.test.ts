import { expect, test } from "vitest";
import { figuresOfWaits, longestWaits } from "./waits.ts";

const waited = (fault: string, whole: number) => ({ fault, waits: 1, whole, mostly: "" });

test("the servers that were waited for longest are judged, and the most has a goal", () => {
  const measured = [waited("a", 1), waited("b", 30), waited("c", 3), waited("d", 0)];
  expect(longestWaits(measured, 2).map(({ fault }) => fault)).toEqual(["b", "c"]);
  const figures = figuresOfWaits(measured, 3);
  expect(figures.map(({ name, value, goal }) => [name, value, goal])).toEqual([
    ["vainWaitsMedian", 3, undefined],
    ["vainWaitsMost", 30, 24],
  ]);
  expect(figures[0]?.says).toMatch(/on the 3 faulty servers with most of 4/);
});
