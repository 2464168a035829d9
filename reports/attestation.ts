import type { CaseResult, Results } from "../harness/case/result.ts";
import { byText } from "./order.ts";
import { viewOf } from "./view.ts";

/** A file or an artifact, by what it is called and its SHA-256 in hexadecimal. */
export interface Subject {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

/** A statement of in-toto, with the predicate for test results. */
export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly Subject[];
  readonly predicateType: "https://in-toto.io/attestation/test-result/v0.1";
  readonly predicate: TestResult;
}

/** What a run came to, as in-toto's test-result predicate has it. */
export interface TestResult {
  readonly result: "PASSED" | "WARNED" | "FAILED";
  /** What the tests were made with. */
  readonly configuration: readonly Subject[];
  readonly passedTests: readonly string[];
  readonly warnedTests: readonly string[];
  readonly failedTests: readonly string[];
}

const nameOf = ({ id, rpc }: CaseResult) => `${id} · ${rpc}`;

/** What a case counts as: only what held without a warning passes. */
function statusOf({ outcome, findings }: CaseResult): TestResult["result"] {
  if (outcome === "held") return findings.length === 0 ? "PASSED" : "WARNED";
  return outcome === "not-exercised" ? "WARNED" : "FAILED";
}

/** Passed is a whole run alone in which everything held: a part of the suite, or what was not exercised, is a warning. */
function resultOf(results: Results): TestResult["result"] {
  const { summary, complete } = results;
  const { verdict } = viewOf(results).headline;
  if (verdict === "non-conformant" || summary.violated + summary.unproven + summary.error > 0) return "FAILED";
  return verdict === "conformant" && complete && summary.warnings === 0 ? "PASSED" : "WARNED";
}

/**
 * What results state, as the predicate of a statement.
 * @throws Error with one sentence where the results name no hashes: they were made by an older Hallmark, or by no run
 */
export function testResultOf(results: Results): TestResult {
  const { digests, requirements, tool } = results;
  if (digests === undefined) throw new Error("the results name no hashes of what they were made with");
  const resource = (name: string, sha256: string): Subject => ({ name, digest: { sha256 } });
  const named = (status: TestResult["result"]) =>
    results.cases
      .filter((one) => statusOf(one) === status)
      .map(nameOf)
      .sort(byText);
  return {
    result: resultOf(results),
    configuration: [
      resource(`hallmark ${tool.version}, commit ${digests.commit}`, digests.suite),
      resource(`contract ${tool.contract}`, digests.contract),
      ...(requirements === undefined
        ? []
        : [resource(`requirements ${requirements.version ?? "unreleased"}`, requirements.hash)]),
      resource("target file, redacted", digests.target),
      ...(digests.profile === undefined ? [] : [resource("profile", digests.profile)]),
      ...digests.evidence.map((head) => resource("chain of evidence", head)),
    ],
    passedTests: named("PASSED"),
    warnedTests: named("WARNED"),
    failedTests: named("FAILED"),
  };
}

/** The statement on results: `subject` are the files it is about, and whatever was tested. */
export function statementOf(results: Results, subject: readonly Subject[]): Statement {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject,
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: testResultOf(results),
  };
}
