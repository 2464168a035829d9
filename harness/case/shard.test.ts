import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { planInstances } from "./plan.ts";
import { createFilter } from "./selection.ts";
import { hashKeys, hashPlan, parseShard, shardOf, writeShard } from "./shard.ts";

const name = { id: "version/stale-is-refused", rpc: "alpha.v1.SecretService/RotateSecret" };

test("shards are written as one of so many", () => {
  expect(parseShard("2/5")).toEqual({ index: 2, count: 5 });
  expect(writeShard({ index: 2, count: 5 })).toBe("2/5");
  for (const text of ["0/2", "3/2", "1/0", "1/257", "1", "a/b", "1/2/3", "-1/2", "1.5/2", ""]) {
    expect(parseShard(text), text).toBeUndefined();
  }
});

test("where a case falls is the same in every release", () => {
  expect([2, 3, 4, 5, 16].map((count) => shardOf(name, count))).toEqual([2, 3, 2, 1, 2]);
});

test("every case is asked in exactly one shard, and the shards are of a size", async () => {
  const cases = await loadCases();
  const all = planInstances(cases, ["alpha.v1", "beta.v1"]);
  const asked = all.filter((one) => one.case.kind !== "invariant");
  for (const count of [2, 5, 16]) {
    const shards = Array.from({ length: count }, (_, place) => {
      const shard = { index: place + 1, count };
      return all.filter(createFilter({ only: [], services: [], shard }, cases));
    });
    const found = shards.flat().filter((one) => one.case.kind !== "invariant");
    expect(new Set(found).size).toBe(asked.length);
    expect(found.length).toBe(asked.length);
    for (const shard of shards) {
      expect(shard.filter((one) => one.case.kind === "invariant").length).toBe(all.length - asked.length);
      const share = shard.filter((one) => one.case.kind !== "invariant").length / (asked.length / count);
      expect(Math.abs(share - 1), `${count} shards`).toBeLessThan(0.3);
    }
  }
});

test("a plan's hash knows its cases, not their order", () => {
  const other = { id: "version/current-is-taken", rpc: name.rpc };
  expect(hashPlan([name, other])).toBe(hashPlan([other, name]));
  expect(hashPlan([name])).not.toBe(hashPlan([name, other]));
});

test("a document's hash knows its keys, not what stands in them", () => {
  const document = { alpha: { baseUrl: "http://a", miniAppIds: ["x"] } };
  expect(hashKeys({ alpha: { miniAppIds: ["y"], baseUrl: "http://b" } })).toBe(hashKeys(document));
  expect(hashKeys({ alpha: { baseUrl: "http://a", miniAppIds: ["x", "y"] } })).not.toBe(hashKeys(document));
});
