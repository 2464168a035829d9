import { expect, test } from "vitest";
import { areaOf, areas } from "../case/area.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { sampleFaults } from "./sample.ts";

const faults = await loadFaults();
const idsOf = (count: number, seed: number, from = faults) => sampleFaults(from, count, seed).map(({ id }) => id);

test("a sample is the same for the same seed, whatever order the faults come in, and another for another", () => {
  expect(idsOf(100, 1)).toHaveLength(100);
  expect(new Set(idsOf(100, 1)).size).toBe(100);
  expect(idsOf(100, 1, [...faults].reverse())).toEqual(idsOf(100, 1));
  expect(idsOf(100, 2)).not.toEqual(idsOf(100, 1));
});

test("it has of each area about as many, and so has its beginning", () => {
  const counts = (ids: readonly string[]) => areas.map((area) => ids.filter((id) => areaOf(id) === area).length);
  expect(new Set(counts(idsOf(100, 1)))).toEqual(new Set([8, 9]));
  expect(counts(idsOf(24, 1))).toEqual(areas.map(() => 2));
  expect(idsOf(24, 1)).toEqual(idsOf(100, 1).slice(0, 24));
});

test("it has no fault that nobody can see", () => {
  const all = new Set(idsOf(faults.length, 1));
  const equivalent = faults.filter((fault) => fault.equivalent !== undefined);
  expect(equivalent.filter(({ id }) => all.has(id))).toEqual([]);
  expect(all.size).toBe(faults.length - equivalent.length);
});
