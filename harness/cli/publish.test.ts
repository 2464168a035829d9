import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conformantResults, earlierResults } from "../../reports/sample.ts";
import { directory, hallmark } from "./spawn.testing.ts";

/** A folder of results: a file of its own, and a folder of a run. */
function folderOfResults(): string {
  const folder = directory();
  mkdirSync(join(folder, "run"));
  writeFileSync(join(folder, "run/results.json"), JSON.stringify(conformantResults()));
  writeFileSync(join(folder, "old.json"), JSON.stringify(earlierResults()[0]));
  writeFileSync(join(folder, "other.json"), "{}");
  return folder;
}

test("a badge is printed, or written as JSON and as a picture", async () => {
  const folder = folderOfResults();
  const printed = await hallmark("badge", join(folder, "run"));
  expect(JSON.parse(printed.stdout)).toMatchObject({ schemaVersion: 1, message: "conformant" });
  const svg = join(folder, "badge.svg");
  const written = await hallmark("badge", join(folder, "run"), "--label", "ours", "--svg", svg);
  expect(written).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(readFileSync(svg, "utf8")).toContain("ours: conformant");
});

test("a site is made of the results below folders, and needs some", async () => {
  const out = join(directory(), "site");
  const { exit, stdout } = await hallmark("site", folderOfResults(), "--out", out);
  expect(stdout).toMatch(/^Wrote .*index\.html: 2 runs of 1 implementation\.\n$/);
  expect(exit).toBe(0);
  expect(readFileSync(join(out, "index.html"), "utf8")).toContain("local sandbox");
  expect(readFileSync(join(out, "local-sandbox/2025-12-28T03-04-05-678Z/report.html"), "utf8")).toContain(
    "<!doctype html>",
  );
  const empty = await hallmark("site", directory(), "--out", out);
  expect(empty.stderr).toMatch(/there are no results; give folders/);
  expect(empty.exit).toBe(2);
  const none = await hallmark("site", "nowhere", "--out", out);
  expect(none.stderr).toMatch(/^hallmark: nowhere is no folder/);
});
