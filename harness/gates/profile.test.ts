import { expect, test } from "vitest";
import { checkProfile, parseProfile, profileOf, readProfile } from "./profile.ts";

const clause = "alpha.open.fixture-sharing";
const rpc = "alpha.v1.JobService/GetJob";
const observed = (...values: readonly string[]) => ({ observations: values.map((value) => ({ clause, rpc, value })) });
const pinning = (...values: readonly string[]) =>
  parseProfile(JSON.stringify({ format: "hallmark-profile/1", pinned: [{ clause, rpc, values }] }), "p.yaml");

test("a run's observations make a profile it keeps", () => {
  const results = observed("b", "a", "b");
  const profile = profileOf(results);
  expect(profile.pinned).toEqual([{ clause, rpc, values: ["a", "b"] }]);
  expect(checkProfile(results, profile)).toEqual({ drifted: [], unseen: [], unpinned: [] });
});

test("another choice is a drift; a choice among the pinned is none; what is unseen and unpinned is told", () => {
  expect(checkProfile(observed("c"), pinning("a", "b")).drifted).toEqual([
    { clause, rpc, values: ["a", "b"], seen: ["c"] },
  ]);
  expect(checkProfile(observed("a"), pinning("a", "b"))).toEqual({ drifted: [], unseen: [], unpinned: [] });
  expect(checkProfile(observed(), pinning("a")).unseen).toHaveLength(1);
  expect(checkProfile(observed("a"), { format: "hallmark-profile/1", pinned: [] }).unpinned).toHaveLength(1);
});

test.each([
  ["no YAML", ":\n - [", /neither YAML nor JSON/],
  ["another format", "format: x\npinned: []", /must be "hallmark-profile\/1"/],
  [
    "a clause that is not open",
    `format: hallmark-profile/1\npinned: [{clause: alpha.isolation.read, rpc: x, values: [a]}]`,
    /no open clause/,
  ],
  [
    "an unknown RPC",
    `format: hallmark-profile/1\npinned: [{clause: ${clause}, rpc: x, values: [a]}]`,
    /there is no RPC x/,
  ],
])("%s: one sentence", (_what, text, sentence) => {
  expect(() => parseProfile(text, "p.yaml")).toThrow(sentence);
});

test("a file that is not there is said", () => {
  expect(() => readProfile("nowhere.yaml")).toThrow(/cannot be read \(ENOENT\)/);
});
