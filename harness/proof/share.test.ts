import { expect, test } from "vitest";
import { areaOf } from "../case/area.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { loadHostileTargets } from "../servers/hostile/index.ts";
import { conformingServers, references } from "./servers.ts";
import { shareOfFaults, shareOfHostile, shareOfServers } from "./share.ts";

const faults = await loadFaults();
const commits = Array.from({ length: 300 }, (_, number) => `commit ${number}`);

test("a share is about one in so many, of every area and every frequent operator, and of one commit the same", () => {
  const share = shareOfFaults(faults, 12, "one");
  expect(share.length).toBeLessThan(faults.length / 10);
  expect(share.length).toBeGreaterThan(faults.length / 14);
  const areasOf = (some: typeof faults) => new Set(some.map(({ id }) => areaOf(id)));
  expect(areasOf(share)).toEqual(areasOf(faults));
  const counts = new Map(
    [...Map.groupBy(faults, ({ operator }) => operator)].map(([name, { length }]) => [name, length]),
  );
  const frequent = [...counts].filter(([, count]) => count >= 120).map(([name]) => name);
  expect(frequent.length).toBeGreaterThan(5);
  expect(frequent.filter((name) => !share.some(({ operator }) => operator === name))).toEqual([]);
  expect(shareOfFaults(faults, 12, "one")).toEqual(share);
});

test("before long every fault is drawn", () => {
  const drawn = new Set(commits.flatMap((commit) => shareOfFaults(faults, 12, commit).map(({ id }) => id)));
  expect(faults.filter(({ id }) => !drawn.has(id)).map(({ id }) => id)).toEqual([]);
});

test("a share of the conforming servers has the references, and before long every other", async () => {
  const servers = await conformingServers(() => true, "together");
  const share = shareOfServers(servers, 4, "one");
  expect(share).toEqual(expect.arrayContaining([...references]));
  expect(share.length).toBeLessThan(servers.length / 3);
  const drawn = new Set(commits.slice(0, 50).flatMap((commit) => shareOfServers(servers, 4, commit)));
  expect(servers.filter((server) => !drawn.has(server)).map(({ id }) => id)).toEqual([]);
});

test("a share of the hostile targets is about half of them, and before long every one", async () => {
  const targets = await loadHostileTargets();
  const share = shareOfHostile(targets, 2, "one");
  expect(share.length).toBeGreaterThan(targets.length / 3);
  expect(share.length).toBeLessThan((targets.length * 2) / 3);
  const drawn = new Set(commits.slice(0, 50).flatMap((commit) => shareOfHostile(targets, 2, commit)));
  expect(targets.filter((target) => !drawn.has(target)).map(({ id }) => id)).toEqual([]);
});
