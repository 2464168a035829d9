import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { findVariant } from "../servers/variants/index.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

/** Runs cases of alpha.v1 on the reference, decorated or plain. */
async function runOn(decoration: object, only: string) {
  const reference = await startEmbedded({ "alpha.v1": { decoration } });
  try {
    const cases = await loadCases();
    const selection = { only: [only], services: [] };
    const target = checkTarget(reference.file, "a test");
    const { run, results } = await runAll(createOrder({ target, seed: 1, runs: 20, selection }, cases), cases);
    return {
      behindMs: run.readLag.behind("alpha.v1"),
      results,
      leftovers: run.leftovers,
      observations: run.observations,
    };
  } finally {
    await reference.close();
  }
}

test("where readings lag, each change is waited for until they show it", async () => {
  const { decoration } = await findVariant("alpha.readings-lag");
  // The first calls make jobs, which where they can be read is found out with.
  for (const only of ["version/stale-is-refused", "lifecycle/canceled-job-stays-ended"]) {
    const { behindMs, results, leftovers, observations } = await runOn(decoration, only);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
    expect(behindMs).toBeGreaterThan(120);
    expect(leftovers).toEqual([]);
    expect(observations).toContainEqual(expect.objectContaining({ clause: "alpha.open.consistency" }));
  }
});

test("a kind of record that lags by itself is found out with what cases make and change of it", async () => {
  const { decoration } = await findVariant("alpha.records-of-work-lag");
  // Of the second, the first looks at jobs come too late to tell: those after them have to.
  for (const only of ["version/stale-is-refused", "auth/bad-caller-is-refused-beside-a-good-one"]) {
    const { behindMs, results } = await runOn(decoration, only);
    expect(results.filter(({ outcome }) => outcome !== "held" && outcome !== "not-exercised")).toEqual([]);
    expect(behindMs).toBeGreaterThan(120);
  }
});

test("where they do not, nothing is waited for", async () => {
  const { behindMs, results } = await runOn({}, "version/stale-is-refused");
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
  expect(behindMs).toBe(0);
});
