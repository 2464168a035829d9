import { assertHeld, cases, checkTarget, createOrder, openSession, readTargetFile, titleOf } from "hallmark";
import { beforeAll, describe, test } from "vitest";

const file = "target.yaml";
const order = createOrder(
  {
    target: checkTarget(readTargetFile(file), file),
    selection: { only: [], services: ["CatalogService"] },
    seed: Math.trunc(Math.random() * 2 ** 31),
    runs: 20,
  },
  cases,
);
const session = openSession(order, cases);
const { runnable, invariants, caseMs } = session;

describe.concurrent("cases", { timeout: caseMs + 10_000 }, () => {
  test.for(runnable.map((instance) => [titleOf(instance), instance] as const))("%s", async ([, instance], { skip }) => {
    const result = await session.runCase(instance);
    if (result.outcome === "not-exercised") skip(result.reason);
    assertHeld(result);
  });
});

// Invariants judge what all cases exchanged, undoing too: they come last.
describe("invariants", () => {
  beforeAll(async () => void (await session.close()), 2 * caseMs);

  test.for(invariants.map((instance) => [titleOf(instance), instance] as const))("%s", ([, instance], { skip }) => {
    const result = session.conclude(instance);
    if (result.outcome === "not-exercised") skip(result.reason);
    assertHeld(result);
  });
});
