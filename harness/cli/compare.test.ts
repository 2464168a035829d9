import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conformantResults, sampleResults } from "../../reports/sample.ts";
import { directory, fileWith, hallmark } from "./spawn.testing.ts";

function resultsIn(results: object): string {
  return fileWith(JSON.stringify(results), "results.json");
}

test.concurrent("exit code 0 where nothing got worse, 1 where something did, and a page of all", async () => {
  const good = resultsIn(conformantResults());
  const bad = resultsIn(sampleResults());
  const html = join(directory(), "side.html");
  const better = await hallmark("compare", bad, good, bad.replace("/results.json", ""));
  expect(better.stdout).toContain("✓ No worse");
  expect(better.exit).toBe(1);
  const worse = await hallmark("compare", good, bad, "--html", html);
  expect(worse.stdout).toContain("Newly failing");
  expect(worse.exit).toBe(1);
  expect(readFileSync(html, "utf8")).toContain("2 runs side by side");
  expect((await hallmark("compare", bad, bad)).exit).toBe(0);
});

test.concurrent.each([
  ["one run", () => [resultsIn(sampleResults())], /nothing to compare with/],
  ["no file", () => ["nowhere.json", "nowhere.json"], /cannot be read \(ENOENT\)/],
  ["no results", () => [fileWith("{}", "results.json"), "b"], /is not a Hallmark results file/],
  [
    "a page that cannot be written",
    () => [resultsIn(sampleResults()), resultsIn(sampleResults()), "--html", join(fileWith(""), "below")],
    /--html .* cannot be written/,
  ],
] as const)("%s: one sentence", async (_what, words, sentence) => {
  const { exit, stderr } = await hallmark("compare", ...words());
  expect(stderr).toMatch(sentence);
  expect(exit).toBe(2);
});
