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
import { beforeAll, describe, test } from "vitest";

const file = "target.yaml";
const { run, asked, standing, caseMs } = openSession(checkTarget(readTargetFile(file), file), {
  cases,
  services: ["CatalogService"],
});

describe.concurrent("what is asked", { timeout: caseMs + 10_000 }, () => {
  test.for(asked.map((instance) => [titleOf(instance), instance] as const))("%s", async ([, instance], { skip }) => {
    const result = await runCase(instance, run);
    if (result.outcome === "not-exercised") skip(result.reason);
    assertHeld(result);
  });
});

// Standing rules judge what all cases exchanged, undoing too: they come last.
describe("what is concluded", () => {
  beforeAll(() => run.close(), 2 * caseMs);

  test.for(standing.map((instance) => [titleOf(instance), instance] as const))("%s", ([, instance], { skip }) => {
    const result = concludeStanding(instance, run);
    if (result.outcome === "not-exercised") skip(result.reason);
    assertHeld(result);
  });
});
