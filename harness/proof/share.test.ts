import { expect, test } from "vitest";
import { areaOf } from "../case/area.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { shareOfFaults } from "./share.ts";

const faults = await loadFaults();
const commits = Array.from({ length: 300 }, (_, number) => `commit ${number}`);

test("a share is about one in so many, of every area and operator, and of one commit the same", () => {
  const share = shareOfFaults(faults, 12, "one");
  expect(share.length).toBeLessThan(faults.length / 6);
  expect(share.length).toBeGreaterThan(faults.length / 16);
  const groups = (some: typeof faults) => new Set(some.map(({ id, operator }) => `${areaOf(id)} ${operator}`));
  expect(groups(share)).toEqual(groups(faults));
  expect(shareOfFaults(faults, 12, "one")).toEqual(share);
});

test("before long every fault is drawn", () => {
  const drawn = new Set(commits.flatMap((commit) => shareOfFaults(faults, 12, commit).map(({ id }) => id)));
  expect(faults.filter(({ id }) => !drawn.has(id)).map(({ id }) => id)).toEqual([]);
});
