import { resolve } from "node:path";
import { expect, test } from "vitest";
import { findBreaches } from "./figures.ts";
import { measureHouse } from "./house.ts";
import { show } from "./show.ts";

const figures = measureHouse(resolve(import.meta.dirname, "../.."));

test("the house is within its limits", () => {
  expect(findBreaches(figures)).toEqual([]);
});

test("every figure is shown", () => {
  const names = show(figures).matchAll(/^\S.*?(?= {2}|:$)/gm);
  expect([...names].map(([name]) => name)).toEqual([
    "source files",
    "lines",
    "median file",
    "p90",
    "longest file",
    "files past 400 lines",
    "longest function",
    "runtime cycles",
    "largest type cycle",
    "files at harness/",
    "files without a unit test",
    "of these in harness/setup",
    "without a unit test beside them, of all source files, by folder",
  ]);
});
