import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directory, hallmark } from "./spawn.testing.ts";

const narrowed = ["--embedded", "--service", "CatalogService", "--only", "lifecycle/valid-call-is-served"];

test("a run by a frozen set says so everywhere", async () => {
  const out = directory();
  const { exit, stdout } = await hallmark("run", ...narrowed, "--requirements", "0.1", "--out", out);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/ · requirements 0\.1 \([0-9a-f]{12}\) · /);
  const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
  expect(results.requirements).toEqual({ version: "0.1", hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(results.cases[0].replay).toMatch(/^hallmark run --embedded --requirements 0\.1 --only /);
  for (const name of ["report.md", "junit.xml"]) {
    expect(readFileSync(join(out, name), "utf8")).toContain(results.requirements.hash.slice(0, 12));
  }
  const header = JSON.parse(readFileSync(join(out, "evidence.jsonl"), "utf8").split("\n")[0] ?? "");
  expect(JSON.stringify(header)).toContain(results.requirements.hash);
});

test("a run without one names today's, by its hash", async () => {
  const out = directory();
  const { stdout } = await hallmark("run", ...narrowed, "--out", out);
  expect(stdout).toMatch(/ · requirements (unreleased|\d+\.\d+) \([0-9a-f]{12}\) · /);
});

test("a version nobody froze is refused before anything is sent", async () => {
  const { exit, stderr } = await hallmark("run", "--base-url", "http://127.0.0.1:1", "--requirements", "9.9");
  expect(stderr).toMatch(/^hallmark: --requirements 9\.9 is no frozen set; there is 0\.1\.\n$/);
  expect(exit).toBe(2);
});
