import { describe, expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { dealt, oneOfEach } from "./strata.ts";

const holders = new Map([
  ["GetJob", new Set(["text", "number"])],
  ["ListJobs", new Set(["text", "list"])],
  ["CancelJob", new Set(["text", "number", "list"])],
]);
const seeds = Array.from({ length: 30 }, (_, seed) => createRandom(seed));
const all = (random: (typeof seeds)[number], copies?: number) =>
  [...holders.keys()].flatMap((own) => [...dealt(random, holders, own, copies)]).sort();

describe("dealt", () => {
  test("deals every class to one of those who have it, whatever the seed", () => {
    for (const random of seeds) expect(all(random)).toEqual(["list", "number", "text"]);
  });

  test("deals as many copies of each as are asked for, and no more than there are holders", () => {
    for (const random of seeds) {
      expect(all(random, 2)).toEqual(["list", "list", "number", "number", "text", "text"]);
      expect(all(random, Infinity)).toEqual(all(random, 9));
      expect(all(random, 9)).toEqual(["list", "list", "number", "number", "text", "text", "text"]);
    }
  });

  test("deals the same for the same seed, and otherwise for another", () => {
    const hands = seeds.map((random) => [...dealt(random, holders, "CancelJob")].join());
    expect(seeds.map((random) => [...dealt(random, holders, "CancelJob")].join())).toEqual(hands);
    expect(new Set(hands).size).toBeGreaterThan(3);
  });
});

describe("oneOfEach", () => {
  const items = ["a1", "b1", "a2", "c1", "a3"];

  test("gives one item of each class, in their order", () => {
    for (const random of seeds) {
      const chosen = oneOfEach(random, items, ([first = ""]) => first);
      expect(chosen.map(([first]) => first).sort()).toEqual(["a", "b", "c"]);
      expect(chosen).toEqual(items.filter((item) => chosen.includes(item)));
    }
  });

  test("gives every item of a class at some seed", () => {
    const chosen = new Set(seeds.flatMap((random) => oneOfEach(random, items, ([first = ""]) => first)));
    expect([...chosen].sort()).toEqual([...items].sort());
  });
});
