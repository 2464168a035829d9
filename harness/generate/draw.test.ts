import { describe, expect, test } from "vitest";
import { drawSome } from "./draw.ts";
import { createRandom } from "./random.ts";

const items = ["a", "b", "c", "d", "e", "f"];

describe("drawing some", () => {
  test("gives as many as asked for, in their own order, each once", () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const drawn = drawSome(createRandom(seed), items, 3);
      expect(drawn).toHaveLength(3);
      expect(drawn).toEqual(items.filter((item) => drawn.includes(item)));
    }
  });

  test("gives all where there are no more", () => {
    expect(drawSome(createRandom(1), items, 9)).toEqual(items);
  });

  test("draws the same for the same seed, and every item for some seed", () => {
    expect(drawSome(createRandom(5), items, 2)).toEqual(drawSome(createRandom(5), items, 2));
    const seen = new Set(Array.from({ length: 60 }, (_, seed) => drawSome(createRandom(seed), items, 1)).flat());
    expect([...seen].sort()).toEqual(items);
  });
});
