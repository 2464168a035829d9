import { expect, test } from "vitest";
import { markdownReport } from "./markdown.ts";
import { rollUp, summarise } from "./rollup.ts";
import { conformantResults, sampleCaseOf, sampleFindingOf, sampleResults } from "./sample.ts";

const lines = markdownReport(sampleResults()).split("\n");

test("begins with the verdict", () => {
  expect(lines[0]).toBe("# ✗ Non-conformant");
  expect(lines[2]).toContain("**10 of 21 RPCs conformant, 6 non-conformant, 5 incomplete.** 216 cases:");
});

test("has a verdict for every RPC", () => {
  expect(lines).toContain("| ✗ non-conformant | `alpha.v1.ArtifactService/ListArtifacts` | 9 | 1 |  |  | 1 |");
  expect(lines.filter((line) => /^\| [✓✗◐] /.test(line))).toHaveLength(21);
});

test("hostile text stays in its cell", () => {
  const cell = lines.find((line) => line.startsWith("| Expected | ``"));
  expect(cell).toBe(
    '| Expected | `` a\\|b `c` <script>alert("x")</script> ]]> & \\u0007\\ud800 \\u001b[31m 漢字 🦊 `` |',
  );
  expect(lines.filter((line) => line.includes("<script>")).every((line) => line.startsWith("| "))).toBe(true);
});

test("names each failure, what stayed open and why, warnings, observations and leftovers", () => {
  for (const line of [
    "### `version/stale-is-refused` · `alpha.v1.SecretService/DeleteSecret`",
    "| The same on | `RotateSecret` |",
    "| Repeated | deterministic: red every time it was repeated |",
    "- the target file lacks secondWorkspace (6 cases)",
    "- needs CreateWebhookEndpoint, which failed in wire/json-form (1 case)",
    "| `alpha.open.unknown-fields` | refused | 5 |",
  ])
    expect(lines).toContain(line);
  expect(lines.some((line) => line.includes("records come newest first"))).toBe(true);
  expect(lines.at(-2)).toMatch(/^- secret .* answered not\\_found$/);
});

test("markup in a rule is text", () => {
  const cases = [
    sampleCaseOf({ outcome: "violated", findings: [sampleFindingOf({ rule: "no `x` <b> *y* [z](u) a|b" })] }),
  ];
  const rpcs = rollUp(cases, []);
  const report = markdownReport({ ...sampleResults(), cases, rpcs, summary: summarise(cases, rpcs, 1) });
  expect(report).toContain("no \\`x\\` &lt;b> \\*y\\* \\[z\\](u) a|b (must");
});

test("stays small however much failed", () => {
  const cases = Array.from({ length: 2000 }, (_, index) =>
    sampleCaseOf({ id: `wire/${index}`, outcome: "violated", findings: [sampleFindingOf({ rule: "r".repeat(200) })] }),
  );
  const rpcs = rollUp(cases, []);
  const report = markdownReport({ ...sampleResults(), cases, rpcs, summary: summarise(cases, rpcs, 1) });
  expect(report).toContain("And 1950 more breaches: see `report.html`.");
  expect(report.length).toBeLessThan(200_000);
});

test("a conformant run is short", () => {
  const report = markdownReport(conformantResults());
  expect(report).toContain("# ✓ Conformant");
  expect(report).not.toMatch(/## (Violated|Unproven|Not exercised|▲ Warnings|Left behind)/);
});
