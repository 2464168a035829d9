import { expect, test } from "vitest";
import { shortened } from "../output/redact.ts";
import { ownHeap } from "../runner/heap.ts";
import { showJson } from "./json.ts";
import { ellipted } from "./short-text.ts";

test("a text is cut where it is longer, and then ends in an ellipsis", () => {
  expect(ellipted("abc", 3)).toBe("abc");
  expect(ellipted("abcd", 3)).toBe("abc…");
  expect(ellipted("\ud83d\ude00d", 1)).toBe("\ud83d…");
});

test("what is cut off a long text to be shown does not keep the text", () => {
  const heap = ownHeap();
  const long = 2 ** 20;
  for (const cut of [showJson, shortened]) {
    heap.collectNow();
    const before = heap.used();
    const shown = Array.from({ length: 40 }, (_, at) => cut(`${at} `.padEnd(long, "much ")));
    heap.collectNow();
    // A megabyte each, where each keeps its own; Node holds a letter in a byte.
    expect(heap.used() - before).toBeLessThan(10 * long);
    expect(shown[39]).toContain("39 much much");
  }
});
