import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { createTarget } from "../target/target.ts";
import { runAll } from "./run-all.ts";

test("what values of a property made is undone with a requestId each, and nothing is left", {
  timeout: 60_000,
}, async () => {
  const reference = await startEmbedded({ "alpha.v1": {} });
  const asked: string[] = [];
  try {
    const { run, results } = await runAll(createTarget(checkTarget(reference.file, "a test")), {
      cases: await loadCases(),
      seed: 1,
      runs: 200,
      select: ({ case: one }) => one.id === "lifecycle/secrets-through-any-history",
      observer: {
        onExchange({ by, call }) {
          if (by.endsWith(" undone") && call?.row.effect !== undefined && call.row.requestId !== undefined)
            asked.push(JSON.stringify(call.request[call.row.requestId.name]));
        },
      },
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(["held"]);
    expect(run.leftovers).toEqual([]);
  } finally {
    await reference.close();
  }
  expect(asked.length).toBeGreaterThan(100);
  expect(new Set(asked).size).toBe(asked.length);
});
