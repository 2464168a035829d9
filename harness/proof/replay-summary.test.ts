import { expect, test } from "vitest";
import { replaySection } from "./page-replay.ts";
import { summarizeReplays } from "./replay-summary.ts";

test("a command that shows another breach, or none, is lost, and one that was not printed is neither", () => {
  const ends = ["again", "other", "green", "none"] as const;
  const proofs = ends.map((is) => ({ fault: `of ${is}`, is, breach: "case rpc clause" }));
  const summary = summarizeReplays(proofs, { seed: 1, of: 40 }, 12.4);
  expect(summary).toMatchObject({ faults: 4, of: 40, printed: 3, again: 1, silent: ["of none"], durationMs: 12 });
  expect(summary.lost.map(({ fault }) => fault)).toEqual(["of other", "of green"]);
});

test("what a report calls racy may take several tries, and is told apart", () => {
  const proofs = [
    { fault: "a", is: "again" },
    { fault: "b", is: "again", tries: 3 },
    { fault: "c", is: "again", tries: 1 },
    { fault: "d", is: "green", tries: 5 },
  ] as const;
  const summary = summarizeReplays(proofs, { seed: 1, of: 40 }, 1);
  expect(summary).toMatchObject({ again: 3, racy: { again: 2, mostTries: 3 } });
  expect(replaySection(summary).join("\n")).toContain("2 of the breaches are racy");
});
