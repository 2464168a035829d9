import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rpcs } from "../../proto/rpcs.ts";
import { conformantResults } from "../../reports/sample.ts";
import { parseResults } from "../../reports/schema.ts";
import { readBudget } from "./options.ts";
import { directory, hallmark, hallmarkIn } from "./spawn.testing.ts";

/** Requests that smoke may send, undoing included. */
const maxRequests = 600;

test("smoke asks every RPC with few requests, holds, and leaves the report of a whole run alone", async () => {
  const folder = directory();
  const whole = join(folder, "conformance-report/results.json");
  mkdirSync(join(folder, "conformance-report"));
  writeFileSync(whole, JSON.stringify(conformantResults()));
  const { exit, stdout, stderr } = await hallmarkIn(folder, "run", "--embedded", "--depth", "smoke", "--seed", "1");
  expect(exit, stdout).toBe(0);
  expect(stderr).toContain("holds the report of a whole run");
  expect(stdout).toContain(`◐ Held in smoke  ${rpcs.length} of ${rpcs.length} RPCs held in smoke, in a partial run.\n`);
  const file = join(folder, "conformance-report/partial/results.json");
  const results = parseResults(readFileSync(file, "utf8"), file);
  expect(results).toMatchObject({ depth: "smoke", runs: 1, complete: false, selection: ["--depth smoke"] });
  expect(results.rpcs.map(({ rpc }) => rpc).sort()).toEqual(rpcs.map(({ name }) => name).sort());
  expect(results.summary.exchanges).toBeGreaterThan(5 * rpcs.length);
  expect(results.summary.exchanges).toBeLessThanOrEqual(maxRequests);
  // A case of it is repeated as smoke asked it.
  expect(results.cases[0]?.replay).toMatch(/^hallmark run --embedded --only \S+ --depth smoke --seed 1$/);
});

describe("what makes no sense is refused before anything is sent", () => {
  const nowhere = ["run", "--base-url", "http://127.0.0.1:1"];
  test.each([
    [
      ["--depth", "shallow"],
      /'--depth <depth>' argument 'shallow' is invalid\. Allowed choices are smoke, standard, deep/,
    ],
    [["--budget", "10m"], /^hallmark: --budget says how long a deep run goes on with histories; give --depth deep/],
    [["--depth", "deep", "--budget", "long"], /It must be a time up to 24h: 90s, 10m, 2h\./],
    [["--depth", "smoke", "--baseline", "b.yaml", "--update-baseline"], /refused on a partial run/],
  ])("%j", async (words, sentence) => {
    const { exit, stderr } = await hallmark(...nowhere, ...words);
    expect(stderr).toMatch(sentence);
    expect(exit).toBe(2);
  });

  test("a selection that smoke asks nothing of", async () => {
    const words = ["--embedded", "--depth", "smoke", "--only", "version/concurrent-*"];
    const { exit, stderr } = await hallmark("run", ...words, "--out", directory());
    expect(stderr).toContain("Smoke asks none of the selected cases; leave --depth smoke or the filters out.");
    expect(exit).toBe(2);
  });
});

test("a budget is read in seconds, minutes and hours", () => {
  expect(["90s", "10m", "2h"].map(readBudget)).toEqual([90_000, 600_000, 7_200_000]);
  for (const text of ["10", "m", "0s", "1.5h", "25h", "10 m"]) expect(() => readBudget(text), text).toThrow();
});
