import fc from "fast-check";
import { expect, test } from "vitest";
import { diff } from "./diff.ts";

const word = fc.constantFrom("a", "b", "c", "d");

test("what is gone and the same make the one, what is new and the same the other", () => {
  fc.assert(
    fc.property(fc.array(word), fc.array(word), (before, after) => {
      const pieces = diff(before, after);
      const without = (kind: string) => pieces.filter((piece) => piece.kind !== kind).flatMap(({ items }) => items);
      expect(without("new")).toEqual(before);
      expect(without("gone")).toEqual(after);
    }),
  );
});

test("keeps as much as can be kept, and joins neighbours", () => {
  expect(diff([..."abcdef"], [..."abXdeYf"])).toEqual([
    { kind: "same", items: ["a", "b"] },
    { kind: "gone", items: ["c"] },
    { kind: "new", items: ["X"] },
    { kind: "same", items: ["d", "e"] },
    { kind: "new", items: ["Y"] },
    { kind: "same", items: ["f"] },
  ]);
});

test("texts too long to compare are gone and new as a whole, in no time", () => {
  const long = (start: number) => Array.from({ length: 5000 }, (_, index) => start + index);
  expect(diff(long(0), long(100_000)).map(({ kind }) => kind)).toEqual(["gone", "new"]);
});
