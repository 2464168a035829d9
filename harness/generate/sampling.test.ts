import { describe, expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { sampleOf } from "./sampling.ts";

const items = ["a", "b", "c", "d", "e", "f"];

describe("sampleOf", () => {
  test("gives as many as asked for, in their own order, each once", () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const sample = sampleOf(createRandom(seed), items, 3);
      expect(sample).toHaveLength(3);
      expect(sample).toEqual(items.filter((item) => sample.includes(item)));
    }
  });

  test("gives all where there are no more", () => {
    expect(sampleOf(createRandom(1), items, 9)).toEqual(items);
  });

  test("gives the same for the same seed, and every item for some seed", () => {
    expect(sampleOf(createRandom(5), items, 2)).toEqual(sampleOf(createRandom(5), items, 2));
    const seen = new Set(Array.from({ length: 60 }, (_, seed) => sampleOf(createRandom(seed), items, 1)).flat());
    expect([...seen].sort()).toEqual(items);
  });
});
