import { expect, test } from "vitest";
import { conformantResults, sampleResults } from "../../reports/sample.ts";
import { viewOf } from "../../reports/view.ts";
import { quietReport } from "./quiet-report.ts";

test("names the cases that failed, and says how many warnings there are", () => {
  const results = sampleResults();
  const lines = quietReport(results).trimEnd().split("\n");
  const warnings = viewOf(results).rpcs.flatMap((rpc) => rpc.warnings).length;
  expect(warnings).toBeGreaterThan(0);
  expect(lines).toContain("✗ version/stale-is-refused · alpha.v1.SecretService/RotateSecret");
  expect(lines.at(-1)).toMatch(new RegExp(`^✗ Non-conformant .* cases, ${warnings} warnings?, seed \\d+$`));
});

test("says nothing of warnings where there are none", () => {
  const results = conformantResults();
  const none = { ...results, cases: results.cases.map((one) => ({ ...one, findings: [] })) };
  expect(quietReport(none)).toMatch(/^✓ Conformant .* cases, seed \d+\n$/);
});
