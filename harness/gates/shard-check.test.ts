import { describe, expect, test } from "vitest";
import { conformantResults } from "../../reports/sample.ts";
import type { Results, ShardFacts } from "../case/result.ts";
import { hashPlan, shardOf } from "../case/shard.ts";
import { checkShards } from "./shard-check.ts";

const whole = conformantResults();
const standing = ["wire/json-form"];

/** One shard of the sample, as a run would write it. */
function shardOfSample(index: number, count: number, over: object = {}, facts: Partial<ShardFacts> = {}): Results {
  const shard: ShardFacts = {
    index,
    count,
    planned: whole.cases.length,
    planHash: hashPlan(whole.cases),
    standing,
    commit: "c0ffee",
    contractHash: "cafe",
    targetKeys: "beef",
    whole: true,
    ...facts,
  };
  const cases = whole.cases.filter((one) => standing.includes(one.id) || shardOf(one, count) === index);
  return { ...whole, cases, complete: false, selection: [`--shard ${index}/${count}`], shard, ...over };
}

const found = (...results: Results[]) => results.map((one, place) => ({ path: `r${place + 1}`, results: one }));

test("all shards of a run, in whatever order, are put in theirs", () => {
  const shards = checkShards(found(shardOfSample(3, 3), shardOfSample(1, 3), shardOfSample(2, 3)));
  expect(shards.map(({ path }) => path)).toEqual(["r2", "r3", "r1"]);
  expect(checkShards(found(shardOfSample(1, 1)))).toHaveLength(1);
});

test("each machine's own ports, and the secrets of a target, are its own", () => {
  const at = (port: number) => ({ target: { name: "local sandbox", baseUrl: `http://127.0.0.1:${port}` } });
  expect(checkShards(found(shardOfSample(1, 2, at(4000)), shardOfSample(2, 2, at(5000))))).toHaveLength(2);
});

describe("what does not prove to be the whole is refused in one sentence", () => {
  const target = (over: object) => ({ target: { ...whole.target, ...over } });
  const second = shardOfSample(2, 2);
  const lost = second.cases.find(({ id }) => !standing.includes(id));
  const less = { ...second, cases: second.cases.filter((one) => one !== lost) };
  const stray = whole.cases.find((one) => shardOf(one, 2) === 1 && !standing.includes(one.id));

  test.each<[string, RegExp, Results[]]>([
    ["nothing", /^There are no results to merge/, []],
    ["a whole run", /^r2 is of a whole run, not of a shard/, [shardOfSample(1, 2), whole]],
    ["a missing shard", /^Shard 2\/2 is missing;/, [shardOfSample(1, 2)]],
    ["several missing shards", /^Shards 1\/5, 3\/5, 5\/5 are missing;/, [shardOfSample(2, 5), shardOfSample(4, 5)]],
    ["a doubled shard", /^Shard 2\/2 is there more than once \(r2 and r3\)/, [shardOfSample(1, 2), second, second]],
    ["another number of shards", /: the number of shards is 3, not 2;/, [shardOfSample(1, 2), shardOfSample(2, 3)]],
    ["another seed", /^r2 .* than r1: the seed is 8, not 42;/, [shardOfSample(1, 2), shardOfSample(2, 2, { seed: 8 })]],
    [
      "another depth",
      /: the depth is smoke, not standard;/,
      [shardOfSample(1, 2), shardOfSample(2, 2, { depth: "smoke" })],
    ],
    ["other runs per property", /: the number of runs/, [shardOfSample(1, 2), shardOfSample(2, 2, { runs: 8 })]],
    [
      "another version",
      /: the version of Hallmark is 9\.9\.9 /,
      [shardOfSample(1, 2), shardOfSample(2, 2, { tool: { ...whole.tool, version: "9.9.9" } })],
    ],
    ["another commit", /\(decade\), not /, [shardOfSample(1, 2), shardOfSample(2, 2, {}, { commit: "decade" })]],
    [
      "another contract",
      /: the contract is /,
      [shardOfSample(1, 2), shardOfSample(2, 2, {}, { contractHash: "f00d" })],
    ],
    [
      "another target",
      /: the target is other, /,
      [shardOfSample(1, 2), shardOfSample(2, 2, target({ name: "other" }))],
    ],
    [
      "another base URL",
      /: the base URL is https:\/\/b\.test\/, not /,
      [shardOfSample(1, 2), shardOfSample(2, 2, target({ baseUrl: "https://b.test" }))],
    ],
    [
      "another selection",
      /: the selection is --only wire\/\*, not everything;/,
      [shardOfSample(1, 2), shardOfSample(2, 2, { selection: ["--only wire/*", "--shard 2/2"] })],
    ],
    ["another plan", /: the plan is 3 cases/, [shardOfSample(1, 2), shardOfSample(2, 2, {}, { planned: 3 })]],
    [
      "other keys in the target file",
      /: the set of keys in the target file is /,
      [shardOfSample(1, 2), shardOfSample(2, 2, {}, { targetKeys: "f00d" })],
    ],
    [
      "a shard that broke off",
      /^Shard 2\/2 \(r2\) broke off/,
      [shardOfSample(1, 2), shardOfSample(2, 2, {}, { whole: false })],
    ],
    ["a shard that lacks a case", /have \d+ of the \d+ cases planned, or others;/, [shardOfSample(1, 2), less]],
    [
      "a result of another shard",
      /^r2 has a result of .*, which falls to shard 1;/,
      [shardOfSample(1, 2), { ...second, cases: [...second.cases, ...(stray === undefined ? [] : [stray])] }],
    ],
    [
      "two results of a case",
      /^r2 has two results of /,
      [shardOfSample(1, 2), { ...second, cases: [...second.cases, ...second.cases.slice(0, 1)] }],
    ],
    [
      "a rule that was not concluded",
      /^r2 has no result of wire\//,
      [shardOfSample(1, 2), { ...second, cases: second.cases.filter(({ id }) => !standing.includes(id)) }],
    ],
  ])("%s", (_what, sentence, results) => {
    expect(() => checkShards(found(...results))).toThrow(sentence);
  });
});
