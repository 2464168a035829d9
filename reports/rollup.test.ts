import { describe, expect, test } from "vitest";
import type { CaseResult, Finding, Results } from "../harness/case/result.ts";
import { exitCode, rollUp, type Strictness, summarise } from "./rollup.ts";
import { conformantResults, sampleCaseOf, sampleFindingOf, sampleResults } from "./sample.ts";

const own = "alpha.v1.SecretService/GetSecret";
const other = "alpha.v1.SecretService/CreateSecret";

const held = sampleCaseOf({ id: "a/held" });
const violatedBy = (...findings: readonly Partial<Finding>[]) =>
  sampleCaseOf({ id: "a/violated", outcome: "violated", findings: findings.map(sampleFindingOf) });
const warned = sampleCaseOf({ id: "a/warned", findings: [sampleFindingOf({ level: "should" })] });
const unproven = sampleCaseOf({ id: "a/unproven", outcome: "unproven", reason: "needs CreateSecret", checks: 0 });
const notExercised = sampleCaseOf({ id: "a/missing", outcome: "not-exercised", reason: "lacks x", checks: 0 });
const inError = sampleCaseOf({ id: "a/error", outcome: "error", reason: "oops", checks: 0 });

const verdictOf = (cases: readonly CaseResult[], strictness?: Strictness) =>
  rollUp(cases, [own], strictness)[0]?.verdict;

describe("the verdict of an RPC", () => {
  test("is conformant when every case held", () => {
    expect(verdictOf([held, sampleCaseOf({ id: "a/too" })])).toBe("conformant");
  });

  test("is incomplete without a held case", () => {
    expect(verdictOf([])).toBe("incomplete");
    expect(verdictOf([notExercised])).toBe("incomplete");
  });

  test.each([unproven, notExercised, inError])("is incomplete with a case $outcome", (open) => {
    expect(verdictOf([held, open])).toBe("incomplete");
  });

  test("is conformant with a case left open by what the target chose, where others held", () => {
    const chosen = { ...notExercised, reason: "nothing to ask: one key serves both workspaces" };
    expect(verdictOf([held, chosen])).toBe("conformant");
    expect(verdictOf([chosen])).toBe("incomplete");
    expect(verdictOf([held, chosen, notExercised])).toBe("incomplete");
  });

  test("is non-conformant with a must or protocol finding, whatever else is open", () => {
    expect(verdictOf([held, violatedBy({ level: "must" })])).toBe("non-conformant");
    expect(verdictOf([held, violatedBy({ level: "protocol" }), unproven])).toBe("non-conformant");
  });

  test("a broken should clause warns, and gates when strict", () => {
    expect(verdictOf([held, warned])).toBe("conformant");
    expect(verdictOf([held, warned], { strict: true })).toBe("non-conformant");
  });

  test("an observation of an open clause changes nothing", () => {
    expect(verdictOf([sampleCaseOf({ findings: [sampleFindingOf({ level: "open" })] })], { strict: true })).toBe(
      "conformant",
    );
  });
});

describe("a finding against another RPC", () => {
  test("counts there; the case's own RPC held where the case judged something", () => {
    const [there, here] = rollUp([violatedBy({ rpc: other })], [own]);
    expect(there).toMatchObject({ rpc: other, verdict: "non-conformant", violated: 1, held: 0 });
    expect(here).toMatchObject({ rpc: own, verdict: "conformant", violated: 0, held: 1 });
  });

  test("leaves the case's own RPC unproven where it judged nothing", () => {
    const [, here] = rollUp([{ ...violatedBy({ rpc: other }), checks: 0 }], [own]);
    expect(here).toMatchObject({ rpc: own, verdict: "incomplete", held: 0, unproven: 1 });
  });

  test("counts on both where both answered wrongly", () => {
    const both = rollUp([violatedBy({ rpc: other }, { rpc: own })], [own]);
    expect(both.map(({ violated }) => violated)).toEqual([1, 1]);
  });

  test("warns there when it is a should clause", () => {
    const [there, here] = rollUp(
      [sampleCaseOf({ findings: [sampleFindingOf({ rpc: other, level: "should" })] })],
      [own],
    );
    expect(there).toMatchObject({ rpc: other, warnings: 1, held: 0, verdict: "incomplete" });
    expect(here).toMatchObject({ warnings: 0, verdict: "conformant" });
  });
});

test("counts cases by area and outcome, and a should clause once per RPC", () => {
  const twice = [warned, { ...warned, id: "b/warned", area: "paging" }];
  const [result] = rollUp([held, unproven, ...twice], [own]);
  expect(result).toEqual({
    rpc: own,
    verdict: "incomplete",
    warnings: 1,
    held: 3,
    violated: 0,
    unproven: 1,
    notExercised: 0,
    areas: {
      paging: { held: 1, violated: 0, unproven: 0, "not-exercised": 0, error: 0 },
      wire: { held: 2, violated: 0, unproven: 1, "not-exercised": 0, error: 0 },
    },
  });
});

test("rows are sorted and hold every RPC in scope", () => {
  expect(rollUp([], ["b/B", "a/A"]).map(({ rpc }) => rpc)).toEqual(["a/A", "b/B"]);
});

test("summarises cases and RPCs", () => {
  const cases = [held, warned, unproven, violatedBy({ rpc: other })];
  expect(summarise(cases, rollUp(cases, [own]), 17)).toEqual({
    held: 2,
    violated: 1,
    unproven: 1,
    "not-exercised": 0,
    error: 0,
    cases: 4,
    warnings: 1,
    exchanges: 17,
    rpcs: { conformant: 0, "non-conformant": 1, incomplete: 1 },
  });
});

describe("the exit code", () => {
  const resultsOf = (...cases: readonly CaseResult[]): Results => {
    const rpcs = rollUp(cases, [own]);
    return { ...conformantResults(), cases, rpcs, summary: summarise(cases, rpcs, 0) };
  };

  test.each<[string, number, readonly CaseResult[], Strictness]>([
    ["all held", 0, [held], {}],
    ["nothing ran", 1, [], {}],
    ["nothing held", 1, [notExercised], {}],
    ["violated", 1, [held, violatedBy({})], {}],
    ["unproven", 1, [held, unproven], {}],
    ["not exercised", 0, [held, notExercised], {}],
    ["not exercised, completeness required", 1, [held, notExercised], { requireComplete: true }],
    ["warned", 0, [warned], {}],
    ["warned, strict", 1, [warned], { strict: true }],
    ["an error beside a violation", 4, [held, violatedBy({}), inError], {}],
  ])("%s: %i", (_, code, cases, strictness) => {
    expect(exitCode(resultsOf(...cases), strictness)).toBe(code);
  });

  test("of the sample is 4 for its error", () => {
    expect(exitCode(sampleResults())).toBe(4);
  });
});

test("two broken rules of one clause are two warnings, and one found twice is one", () => {
  const warned = (rule: string) => sampleFindingOf({ level: "should", rule });
  const findings = [warned("a rule"), warned("another"), warned("another")];
  expect(rollUp([sampleCaseOf({ findings })], [])).toMatchObject([{ warnings: 2 }]);
});
