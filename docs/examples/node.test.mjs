import { before, describe, test } from "node:test";
import {
  assertHeld,
  cases,
  checkTarget,
  concludeStanding,
  openSession,
  readTargetFile,
  runCase,
  titleOf,
} from "hallmark";

const file = "target.yaml";
const { run, asked, standing, caseMs } = openSession(checkTarget(readTargetFile(file), file), {
  cases,
  services: ["CatalogService"],
});

describe("what is asked", { concurrency: 32 }, () => {
  for (const instance of asked) {
    test(titleOf(instance), { timeout: caseMs + 10_000 }, async (context) => {
      const result = await runCase(instance, run);
      if (result.outcome === "not-exercised") context.skip(result.reason);
      else assertHeld(result);
    });
  }
});

// Standing rules judge what all cases exchanged, undoing too: they come last.
describe("what is concluded", () => {
  before(() => run.close(), { timeout: 2 * caseMs });

  for (const instance of standing) {
    test(titleOf(instance), (context) => {
      const result = concludeStanding(instance, run);
      if (result.outcome === "not-exercised") context.skip(result.reason);
      else assertHeld(result);
    });
  }
});
