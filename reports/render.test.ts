import { expect, test } from "vitest";
import type { Results } from "../harness/case/result.ts";
import { renderReports, reportNames } from "./render.ts";
import { sampleResults } from "./sample.ts";
import { parseResults } from "./schema.ts";

test("a run is reported in four files, the results as they are read back", () => {
  const files = renderReports(sampleResults());
  expect(Object.keys(files).sort()).toEqual([...reportNames].sort());
  expect(parseResults(files["results.json"](), "results.json").seed).toBe(42);
});

test("the order of the cases does not reach the files", () => {
  const sample = sampleResults();
  const texts = (results: Results) => Object.values(renderReports(results)).map((render) => render());
  expect(texts({ ...sample, cases: sample.cases.toReversed() })).toEqual(texts(sample));
});
