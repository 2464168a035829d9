import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { CaseResult, Outcome, Results } from "../case/result.ts";
import { checkBaseline, parseBaseline, readBaseline } from "./baseline.ts";
import { gateResults, passes, renewBaseline } from "./baseline-gate.ts";

const rpc = "alpha.v1.SecretService/GetSecret";
const entry = { case: "wire/a", rpc, reason: "r", link: "https://tracker.example.test/1", expires: "2027-01-31" };
const options = { today: "2027-01-01", reasonOf: ({ reason }: CaseResult) => reason ?? "" };

function resultsOf(outcomes: Readonly<Record<string, readonly [Outcome, string?]>>, selection: readonly string[] = []) {
  const cases = Object.entries(outcomes).map(([id, [outcome, reason]]) => ({ id, rpc, outcome, reason }));
  return { cases, selection } as unknown as Results;
}
const baselineOf = (...known: readonly object[]) =>
  parseBaseline(JSON.stringify({ format: "hallmark-baseline/1", known }), "b.yaml");

test("a known failure passes, a new one does not, nor one that fails for another reason", () => {
  const known = gateResults(resultsOf({ "wire/a": ["violated", "r"] }), baselineOf(entry), options);
  expect(passes(known)).toBe(true);
  expect(known.known).toHaveLength(1);
  const fresh = gateResults(
    resultsOf({ "wire/a": ["violated", "r"], "wire/b": ["unproven", "x"] }),
    baselineOf(entry),
    options,
  );
  expect(fresh.fresh.map(({ result }) => result.id)).toEqual(["wire/b"]);
  const other = gateResults(resultsOf({ "wire/a": ["violated", "s"] }), baselineOf(entry), options);
  expect(other.fresh).toHaveLength(1);
  expect(other.faulty[0]?.why).toMatch(/for another reason/);
  const ours = gateResults(resultsOf({ "wire/a": ["error", "r"] }), baselineOf(entry), options);
  expect(passes(ours)).toBe(false);
});

test.each([
  ["stale", entry, { "wire/a": ["held"] }, /is stale/],
  ["expired", { ...entry, expires: "2026-12-31" }, { "wire/a": ["violated", "r"] }, /expired on 2026-12-31/],
  ["about nothing", entry, { "wire/b": ["held"] }, /did not have/],
  ["not exercised", entry, { "wire/a": ["not-exercised", "needs"] }, /not exercised/],
  [
    "too wide",
    { ...entry, case: "wire/*", most: 1 },
    { "wire/a": ["violated", "r"], "wire/b": ["violated", "r"] },
    /covers 2 failures, more than 1/,
  ],
] as const)("an entry that is %s fails the run", (_what, one, outcomes, why) => {
  const gate = gateResults(resultsOf(outcomes), baselineOf(one), options);
  expect(gate.faulty.map((each) => each.why).join()).toMatch(why);
  expect(passes(gate)).toBe(false);
});

test("what fails at times, or at another seed, may hold; whatever else is wrong with its entry still is", () => {
  const held = { ...resultsOf({ "wire/a": ["held"] }), seed: 8 } as Results;
  const seen = { intermittent: { seen: 2, of: 9 } };
  expect(passes(gateResults(held, baselineOf({ ...entry, ...seen }), options))).toBe(true);
  expect(passes(gateResults(held, baselineOf({ ...entry, seed: 7 }), options))).toBe(true);
  const stale = gateResults(held, baselineOf({ ...entry, seed: 8 }), options);
  expect(stale.faulty[0]?.why).toMatch(/is stale/);
  const expired = gateResults(held, baselineOf({ ...entry, ...seen, expires: "2026-12-31" }), options);
  expect(expired.faulty[0]?.why).toMatch(/expired/);
  const other = gateResults(resultsOf({ "wire/a": ["violated", "s"] }), baselineOf({ ...entry, ...seen }), options);
  expect(passes(other)).toBe(false);
});

test("an update counts the runs of what fails at times, and marks what repeating did not show each time", () => {
  const results = resultsOf({ "wire/a": ["violated", "r"], "wire/b": ["held"], "wire/c": ["violated", "r"] });
  const cases = results.cases.map((one) => (one.id === "wire/c" ? { ...one, triage: "racy" as const } : one));
  const known = ["wire/a", "wire/b"].map((id) => ({ ...entry, case: id, intermittent: { seen: 1, of: 3 } }));
  const renewed = renewBaseline(
    { ...results, cases },
    baselineOf(...known),
    { link: entry.link, expires: entry.expires },
    options,
  );
  expect(renewed.known.map((one) => [one.case, one.intermittent])).toEqual([
    ["wire/a", { seen: 2, of: 4 }],
    ["wire/b", { seen: 1, of: 4 }],
    ["wire/c", { seen: 1, of: 1 }],
  ]);
});

test("a narrowed run leaves alone what it left out", () => {
  expect(passes(gateResults(resultsOf({ "wire/b": ["held"] }, ["--only wire/b"]), baselineOf(entry), options))).toBe(
    true,
  );
});

test("renewing keeps what works, drops what does not, and names the rest", () => {
  const stale = { ...entry, case: "wire/z" };
  const renewal = { link: "https://tracker.example.test/2", expires: "2027-06-30" };
  const results = resultsOf({ "wire/a": ["violated", "r"], "wire/b": ["violated", "s"], "wire/z": ["held"] });
  const renewed = renewBaseline(results, baselineOf(entry, stale), renewal, options);
  expect(renewed.known).toEqual([entry, { case: "wire/b", rpc, reason: "s", ...renewal }]);
  expect(passes(gateResults(results, renewed, options))).toBe(true);
});

test.each([
  ["no YAML", ":\n  - [", /neither YAML nor JSON/],
  ["another format", "format: x\nknown: []", /format must be "hallmark-baseline\/1"/],
  ["an unknown key", `format: hallmark-baseline/1\nknown: []\nmore: 1`, /more/],
  [
    "no link",
    JSON.stringify({ format: "hallmark-baseline/1", known: [{ ...entry, link: "x" }] }),
    /known\[0\]\.link must be a URL/,
  ],
  [
    "no day",
    JSON.stringify({ format: "hallmark-baseline/1", known: [{ ...entry, expires: "soon" }] }),
    /expires must be a day/,
  ],
  [
    "too wide a cap",
    JSON.stringify({ format: "hallmark-baseline/1", known: [{ ...entry, most: 99 }] }),
    /known\[0\]\.most/,
  ],
])("%s: one sentence", (_what, text, sentence) => {
  expect(() => parseBaseline(text, "b.yaml")).toThrow(sentence);
});

test("unknown entries and a file that is not there are said", async () => {
  const cases = await loadCases();
  expect(() => checkBaseline(baselineOf({ ...entry, case: "wire/none" }), cases, "b")).toThrow(/no case of this id/);
  expect(() => checkBaseline(baselineOf({ ...entry, case: "*", rpc: "x" }), cases, "b")).toThrow(/no such RPC/);
  checkBaseline(baselineOf({ ...entry, case: "*" }), cases, "b");
  expect(() => readBaseline("nowhere.yaml")).toThrow(/cannot be read \(ENOENT\)/);
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-")), "b.yaml");
  writeFileSync(file, JSON.stringify(baselineOf(entry)));
  expect(readBaseline(file).known).toHaveLength(1);
});
