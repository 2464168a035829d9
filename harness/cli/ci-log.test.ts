import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directory } from "./spawn.testing.ts";

const main = join(import.meta.dirname, "main.ts");
const narrowed = ["--service", "CatalogService", "--only", "lifecycle/valid-call-is-served", "--seed", "7"];

/** What a log of a CI system shows of a run: both outputs in the order they came. */
function logOf(environment: NodeJS.ProcessEnv): Promise<string> {
  const { NO_COLOR: _none, FORCE_COLOR: _forced, COLUMNS: _columns, ...env } = process.env;
  const words = [main, "run", "--embedded", ...narrowed, "--out", "report"];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, {
      cwd: directory(),
      env: { ...env, ...environment },
      timeout: 200_000,
    });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (log += String(part)));
    child.once("close", () => resolve(log));
  });
}

/** The log without what is another each time. */
const steady = (log: string) =>
  log
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "SHA256")
    .replaceAll(/requirements \S+ \([0-9a-f]{12}\)/g, "requirements VERSION (HASH)")
    .replaceAll(/\b[\d.]+ (ms|s)\b/g, "TIME")
    .replaceAll(/^.* gone, about .* left\n/gm, "");

test("a run in the log of a CI system", async () => {
  const log = await logOf({ CI: "true" });
  // Neither colours nor lines that are written over: a log keeps all of it.
  for (const control of ["\u001b", "\r"]) expect(log).not.toContain(control);
  await expect(steady(log)).toMatchFileSnapshot("../../reports/golden/ci-log.txt");
});

test("is the same with NO_COLOR, and where colours are not asked for", async () => {
  expect(steady(await logOf({ NO_COLOR: "1", CI: "" }))).toBe(steady(await logOf({ CI: "true" })));
});
