import { expect, test } from "vitest";
import { sampleResults } from "../sample.ts";
import { countMarks, everything, type Filter, narrows, select } from "./filter.ts";
import { countMatrix } from "./matrix-counts.ts";
import { createReport } from "./report.ts";

const report = createReport(sampleResults());
const idsOf = (part: Partial<Filter>) =>
  select(report.rows, { ...everything, ...part }).map(({ entry }) => `${entry.case.id} ${entry.rpc}`);

test("nothing asked for leaves everything", () => {
  expect(narrows(everything)).toBe(false);
  expect(narrows({ ...everything, text: "  " })).toBe(false);
  expect(select(report.rows, everything)).toBe(report.rows);
});

test("every word of a text must stand in the case, wherever and in whatever letter case", () => {
  const rotate = "version/stale-is-refused alpha.v1.SecretService/RotateSecret";
  expect(idsOf({ text: "STALE rotatesecret" })).toEqual([rotate]);
  expect(idsOf({ text: "RESOURCE_VERSION_CONFLICT rotate" })).toEqual([rotate]);
  expect(idsOf({ text: "deterministic alpha.versioning.expected rotate" })).toEqual([rotate]);
  expect(idsOf({ text: "stale nowhere" })).toEqual([]);
});

test("outcome, area, service and level narrow together", () => {
  expect(idsOf({ marks: ["unproven"] })).toHaveLength(2);
  expect(idsOf({ marks: ["unproven"], area: "events" })).toHaveLength(1);
  expect(idsOf({ marks: ["unproven"], area: "events", service: "alpha.v1.SecretService" })).toEqual([]);
  expect(idsOf({ marks: ["unproven", "error"] })).toHaveLength(3);
  expect(idsOf({ level: "protocol", marks: ["violated"] }).every((id) => id.startsWith("wire/"))).toBe(true);
});

test("a held case that broke a should clause is found by its warning", () => {
  expect(idsOf({ marks: ["warning"] })).toContain("auth/none-is-refused alpha.v1.CatalogService/ListMiniApps");
});

test("each mark says how many cases it would leave, whatever is chosen now", () => {
  const filter: Filter = { ...everything, area: "version", marks: ["held"] };
  const counts = countMarks(report.rows, filter);
  for (const mark of ["violated", "held"] as const)
    expect(counts[mark]).toBe(select(report.rows, { ...filter, marks: [mark] }).length);
});

test("the matrix counts what the roll-up counts", () => {
  const counts = countMatrix(report.rows);
  for (const { result } of report.view.rpcs) {
    expect(Object.fromEntries(counts.get(result.rpc) ?? [])).toEqual(result.areas);
  }
});

test("the worst comes first: breaches, errors, open, warnings, and held last", () => {
  const outcomes = report.cases.map(({ entry, warned }) =>
    warned && entry.outcome === "held" ? "warning" : entry.outcome,
  );
  expect(outcomes.filter((outcome, index) => outcome !== outcomes[index - 1])).toEqual([
    "violated",
    "error",
    "unproven",
    "warning",
    "not-exercised",
    "held",
  ]);
});
