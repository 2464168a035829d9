import { expect, test } from "vitest";
import { findCycles } from "./cycles.ts";

/** The graph of a drawing: `a:bc` has arrows from a to b and to c. */
function graph(...drawn: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(drawn.map((one) => [one.slice(0, 1), [...one.slice(2)]]));
}

test("finds no circle where arrows go one way", () => {
  expect(findCycles(graph("a:bc", "b:d", "c:d", "d:"))).toEqual([]);
});

test("finds every circle, the largest first, each sorted", () => {
  expect(findCycles(graph("x:y", "y:x", "b:c", "c:a", "a:bx"))).toEqual([
    ["a", "b", "c"],
    ["x", "y"],
  ]);
});

test("takes circles that share a node for one", () => {
  expect(findCycles(graph("a:b", "b:ac", "c:b"))).toEqual([["a", "b", "c"]]);
});

test("passes over arrows to what is no node, and to itself", () => {
  expect(findCycles(graph("a:ab", "b:z"))).toEqual([]);
});
