import { expect, test } from "vitest";
import type { CaseResult, Results } from "../harness/case/result.ts";
import { compareResults, failureOf, isNoWorse, steady } from "./compare.ts";
import { comparisonPage } from "./compare-html.ts";
import { comparisonText } from "./compare-text.ts";
import { rollUp, summarise } from "./rollup.ts";
import { hostileText, sampleCaseOf, sampleFindingOf, sampleResults } from "./sample.ts";

const rpc = "alpha.v1.SecretService/GetSecret";

function resultsOf(cases: readonly CaseResult[], over: Partial<Results> = {}): Results {
  const rpcs = rollUp(cases, [rpc]);
  return { ...sampleResults(), cases, rpcs, summary: summarise(cases, rpcs, 1), observations: [], ...over };
}

const held = (id: string, over: Partial<CaseResult> = {}) =>
  sampleCaseOf({ id, rpc, outcome: "held", findings: [], ...over });
const violated = (id: string, clause: string) =>
  sampleCaseOf({
    id,
    rpc,
    outcome: "violated",
    findings: [sampleFindingOf({ clause, rpc, level: "must", at: "secrets[3].name" })],
  });
const lacking = (id: string) =>
  sampleCaseOf({ id, rpc, outcome: "not-exercised", findings: [], reason: "needs x in the target file: y" });

const before = resultsOf(
  [
    held("wire/a"),
    violated("wire/b", "alpha.one"),
    held("wire/c"),
    lacking("wire/d"),
    held("wire/e", { durationMs: 100 }),
    violated("wire/f", "alpha.one"),
    held("wire/g"),
  ],
  { seed: 1, observations: [{ clause: "alpha.open", rpc, value: "hard" }] },
);
const after = resultsOf(
  [
    violated("wire/a", "alpha.one"),
    held("wire/b"),
    lacking("wire/c"),
    held("wire/d"),
    held("wire/e", { durationMs: 900 }),
    violated("wire/f", "alpha.two"),
  ],
  { seed: 2, observations: [{ clause: "alpha.open", rpc, value: "soft" }] },
);

test("every kind of change is told apart", () => {
  const comparison = compareResults(before, after);
  const ids = (changes: readonly { readonly id: string }[]) => changes.map(({ id }) => id);
  expect(ids(comparison.newlyFailing)).toEqual(["wire/a"]);
  expect(ids(comparison.failingOtherwise)).toEqual(["wire/f"]);
  expect(ids(comparison.fixed)).toEqual(["wire/b"]);
  expect(ids(comparison.newlyUntested)).toEqual(["wire/c", "wire/g"]);
  expect(ids(comparison.newlyTested)).toEqual(["wire/d"]);
  expect(ids(comparison.slower)).toEqual(["wire/e"]);
  expect(comparison.gainedObservations).toEqual([`alpha.open at ${rpc}: soft`]);
  expect(comparison.lostObservations).toEqual([`alpha.open at ${rpc}: hard`]);
  expect(comparison.differences).toEqual(["seed: 1, then 2"]);
  expect(isNoWorse(comparison)).toBe(false);
});

test("a run compared with itself is no worse, nor is a narrowed one for what it leaves out", () => {
  expect(isNoWorse(compareResults(before, before))).toBe(true);
  const narrowed = resultsOf([held("wire/a")], { selection: ["--only wire/a"] });
  expect(compareResults(before, narrowed)).toMatchObject({ newlyUntested: [], lostObservations: [] });
});

test("the reason of a failure stays the same from run to run", () => {
  expect(failureOf(violated("wire/a", "alpha.one"))).toEqual([`alpha.one at ${rpc} secrets[].name`]);
  const reason = (id: string) => steady(`needs GetJob, which was refused: HTTP 404 {"id":"${id}"} job ${id}`);
  expect(reason("01990000-0000-7000-8000-000000000001")).toBe(reason("01990000-0000-7000-8000-00000000000a"));
});

test("the text says what got worse first, with the replay line", () => {
  const text = comparisonText(compareResults(before, after), ["a.json", "b.json"]);
  expect(text).toMatch(/^The runs differ in seed.*Newly failing \(1\).*replay.*Fixed \(1\)/s);
  expect(text).toContain(
    "✗ Worse: 1 newly failing, 1 failing for more, 2 newly untested, 1 fixed, 1 slower (a.json → b.json)",
  );
});

test("the page shows runs side by side, asks for nothing, and hostile text stays text", () => {
  const hostile = resultsOf([
    lacking("wire/c"),
    sampleCaseOf({ id: "wire/h", rpc, outcome: "unproven", findings: [], reason: hostileText }),
  ]);
  const page = comparisonPage([
    { name: "ours", results: before },
    { name: "theirs <b>", results: hostile },
  ]);
  expect(page).toContain("theirs &lt;b>");
  expect(page).not.toContain("<script>alert");
  expect(page).not.toMatch(/<script|src=|https?:\/\/(?!127)/);
  expect(page).toContain("not in the run");
});
