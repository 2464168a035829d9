import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleResults } from "../../reports/sample.ts";
import type { Results } from "../case/result.ts";
import { failedBefore } from "./failed-before.ts";
import { directory } from "./spawn.testing.ts";

const sample = sampleResults();
const [held, red, open] = (["held", "violated", "unproven"] as const).map(
  (outcome) => sample.cases.find((one) => one.outcome === outcome) ?? expect.fail(`no case is ${outcome}`),
);
const run = (day: number, ...cases: (typeof held)[]): Results => ({
  ...sample,
  startedAt: `2026-01-0${day}T00:00:00.000Z`,
  cases: cases.flatMap((one) => one ?? []),
});
const nameOf = (one: typeof held) => ({ id: one?.id, rpc: one?.rpc });

test("what failed when it was last run, breaches first", () => {
  expect(failedBefore([run(1, open, held, red)], [])).toEqual([red, open].map(nameOf));
});

test("what held since is not among it, in whatever order the runs come; what was not asked since is", () => {
  const mended = red && { ...red, outcome: "held" as const };
  expect(failedBefore([run(2, mended), run(1, red, open)], [])).toEqual([nameOf(open)]);
  expect(failedBefore([run(1, mended), run(2, red, open)], [])).toEqual([red, open].map(nameOf));
});

test("the report of the run before counts; what is no report, or is not there, does not", () => {
  const [folder, broken] = [directory(), directory()];
  writeFileSync(join(folder, "results.json"), JSON.stringify(run(3, red)));
  writeFileSync(join(broken, "results.json"), "{");
  expect(failedBefore([run(1, open)], [folder, broken, join(broken, "none")])).toEqual(
    [open, red].map(nameOf).toReversed(),
  );
});
