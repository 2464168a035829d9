import { readFileSync } from "node:fs";
import { matchesGlob, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { generators } from "../generate/generators.ts";
import { type Example, readExamples, type Step } from "./blocks.ts";
import { copyRepository } from "./scratch.ts";

/** The experiments of CONTRIBUTING.md do what it says, one after the other in one copy of the repository. */
const root = resolve(import.meta.dirname, "../..");
const experiments = readExamples(readFileSync(resolve(root, "CONTRIBUTING.md"), "utf8")).filter(({ title }) =>
  title.startsWith("Add "),
);
const scratch = copyRepository(root);
afterEach(() => scratch.stop());
afterAll(() => scratch.remove());

/** How many files a person writes, at most: until the first command, and in all. */
const byHand: Readonly<Record<string, readonly [toRun: number, inAll: number]>> = {
  "Add a clause": [3, 3],
  "Add a case": [1, 1],
  "Add an RPC": [2, 5],
  "Add a fault": [1, 1],
  "Add a variant": [1, 1],
};

/** Files that the edits of these steps change. */
function filesOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.flatMap((step) => (step.kind === "edit" ? [step.file] : [])))].sort();
}

/** Whether a command writes the file: a generator, or the test of the ids. */
function isRenewed(file: string): boolean {
  return file === "suites/case-ids.txt" || generators.some(({ files }) => matchesGlob(file, files));
}

test("there is one for everything that is added", () => {
  expect(experiments.map(({ title }) => title)).toEqual(Object.keys(byHand));
});

describe.each(experiments)("$title", { timeout: 300_000 }, ({ title, steps }: Example) => {
  const [toRun = 0, inAll = 0] = byHand[title] ?? [];

  test("does what it says", async () => {
    for (const step of steps) {
      if (step.kind === "edit") scratch.edit(step);
      else await scratch.run(step);
    }
  });

  test("takes few files", () => {
    const first = steps.findIndex(({ kind }) => kind === "command");
    expect(filesOf(steps.slice(0, first)).length).toBe(toRun);
    expect(filesOf(steps).length).toBeLessThanOrEqual(inAll);
    expect(scratch.changed().filter((file) => !isRenewed(file))).toEqual(filesOf(steps));
  });
});

test("what they leave passes the checks", { timeout: 300_000 }, async () => {
  await scratch.run({ kind: "command", text: "npm run check", background: false, exit: 0, shows: [] });
  await scratch.run({
    kind: "command",
    text: "npx vitest run --project unit suites/ledger.test.ts proto",
    background: false,
    exit: 0,
    shows: [],
  });
});
