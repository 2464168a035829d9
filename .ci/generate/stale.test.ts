import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findStale } from "./stale.ts";

/** A folder with these files in it, gone after the test. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "stale-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

test("nothing is stale where every file is what is made", () => {
  const root = folderOf({ "gen/a.js": "a", "gen/deep/b.js": "b", "other.js": "?" });
  const made = new Map([
    ["gen/a.js", "a"],
    ["gen/deep/b.js", "b"],
  ]);
  expect(findStale(root, "gen/**", made)).toEqual([]);
});

test("a file that differs, is missing, or is made by nothing is stale", () => {
  const root = folderOf({ "gen/changed.js": "old", "gen/left.js": "" });
  const made = new Map([
    ["gen/changed.js", "new"],
    ["gen/new.js", ""],
  ]);
  expect(findStale(root, "gen/**", made)).toEqual([
    "gen/left.js is made by nothing",
    "gen/changed.js differs",
    "gen/new.js is missing",
  ]);
});
