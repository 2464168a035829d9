import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Runs files of tests, and gives the lines that name the unfinished ones; undefined where none were named. */
async function unfinishedOf(files: Readonly<Record<string, string>>): Promise<readonly string[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "unfinished-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const named = join(folder, "unfinished");
  const words = [
    "run",
    "--root",
    folder,
    "--globals",
    "--no-isolate",
    "--maxWorkers=1",
    `--reporter=${join(root, ".ci/unfinished.ts")}`,
  ];
  const { VITEST_POOL_ID: _, VITEST_WORKER_ID: __, ...env } = process.env;
  const options = { cwd: folder, env: { ...env, HALLMARK_UNFINISHED: named }, timeout: 60_000 };
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  await new Promise<void>((done) => execFile(process.execPath, [vitest, ...words], options, () => done()));
  if (!existsSync(named)) return undefined;
  return readFileSync(named, "utf8").trim().split("\n").filter(Boolean);
}

const passes = `test("passes", () => {});`;
const dies = `test("dies", () => process.abort());`;

test("a file whose process died is named, and those after it, and one that passed is not", async () => {
  // The longest file is run first.
  const files = {
    "a.test.js": `${passes}${" ".repeat(200)}`,
    "b.test.js": `${dies}${" ".repeat(100)}`,
    "c.test.js": passes,
  };
  expect(await unfinishedOf(files)).toEqual(["b.test.js", "c.test.js"]);
});

test("none is named where a test failed, or an error was thrown beside the tests, or all passed", async () => {
  const fails = `test("fails", () => expect(1).toBe(2));`;
  expect(await unfinishedOf({ "a.test.js": fails, "b.test.js": dies })).toBeUndefined();
  const throws = `test("throws", () => { setTimeout(() => { throw new Error("late"); }); return new Promise((done) => setTimeout(done, 50)); });`;
  expect(await unfinishedOf({ "a.test.js": throws })).toBeUndefined();
  expect(await unfinishedOf({ "a.test.js": passes })).toBeUndefined();
});
