import { describe, expect, test } from "vitest";
import type { Depth, Results } from "../harness/case/result.ts";
import { testResultOf } from "./attestation.ts";
import { badgeOf } from "./badge.ts";
import { compareResults } from "./compare.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { exitCode, rollUp, summarise } from "./rollup.ts";
import { conformantResults, sampleResults, sampleRpcs } from "./sample.ts";
import { parseResults } from "./schema.ts";
import { terminalReport } from "./terminal.ts";
import { viewOf } from "./view.ts";

/** Results as a run of a depth has them. */
function at(depth: Depth, sample = conformantResults()): Results {
  const rpcs = rollUp(sample.cases, sampleRpcs, { depth });
  const narrowing = depth === "smoke" ? { complete: false, selection: ["--depth smoke"] } : {};
  return { ...sample, ...narrowing, depth, rpcs, summary: summarise(sample.cases, rpcs, 500) };
}

describe("a run of smoke that held", () => {
  const smoke = at("smoke");

  test("passes, and calls no RPC conformant", () => {
    expect(smoke.summary.rpcs).toEqual({ conformant: 0, "non-conformant": 0, incomplete: 21 });
    expect(exitCode(smoke)).toBe(0);
    expect(viewOf(smoke).headline).toEqual({
      verdict: "incomplete",
      word: "Held in smoke",
      sentence: "21 of 21 RPCs held in smoke, in a partial run.",
    });
  });

  test("says so in every report, and nowhere that anything is conformant", () => {
    const terminal = terminalReport(smoke, { colour: false });
    const texts = [terminal, markdownReport(smoke), junitReport(smoke)];
    for (const text of texts) {
      expect(text).toMatch(/depth"? (value=")?smoke/);
      expect(text).not.toMatch(/(?<!non-)\bconformant/i);
    }
    expect(markdownReport(smoke)).toContain("| ◐ held in smoke |");
    expect(junitReport(smoke)).toContain('value="held in smoke"');
    expect(htmlReport(smoke)).toContain("held in smoke");
    expect(badgeOf(smoke).message).toBe("held in smoke");
    const sha256 = "0".repeat(64);
    const digests = { suite: sha256, commit: "c0ffee", contract: sha256, target: sha256, evidence: [sha256] };
    expect(testResultOf({ ...smoke, digests }).result).toBe("WARNED");
  });

  test("is no change for the worse beside a standard one, nor one for the better", () => {
    expect(compareResults(at("standard"), smoke).verdicts).toEqual([]);
    expect(compareResults(smoke, at("standard")).verdicts).toEqual([]);
    expect(compareResults(smoke, at("standard")).differences).toContain("depth: smoke, then standard");
  });
});

test("smoke names what it found, and what it could not ask", () => {
  const red = at("smoke", sampleResults());
  expect(viewOf(red).headline.word).toBe("Non-conformant");
  const standard = at("standard", sampleResults());
  const incomplete = (results: Results) => viewOf(results).rpcs.filter(({ word }) => word === "incomplete").length;
  expect(incomplete(red)).toBe(incomplete(standard));
  expect(exitCode(red)).toBe(exitCode(standard));
});

test.each(["standard", "deep"] as const)("a %s run may call RPCs conformant, and names its depth", (depth) => {
  const results = at(depth);
  expect(viewOf(results).headline).toMatchObject({ verdict: "conformant", word: "Conformant" });
  expect(terminalReport(results, { colour: false })).toContain(` · depth ${depth} · `);
});

test("results of a depth are read again; one there is not is refused", () => {
  const smoke = at("smoke");
  expect(parseResults(JSON.stringify(smoke), "r.json").depth).toBe("smoke");
  expect(() => parseResults(JSON.stringify({ ...smoke, depth: "shallow" }), "r.json")).toThrow(/at depth/);
});
