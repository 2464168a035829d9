import { before, describe, test } from "node:test";
import { assertHeld, cases, checkTarget, createOrder, openSession, readTargetFile, titleOf } from "hallmark";

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

describe("cases", { concurrency: 32 }, () => {
  for (const instance of runnable) {
    test(titleOf(instance), { timeout: caseMs + 10_000 }, async (context) => {
      const result = await session.runCase(instance);
      if (result.outcome === "not-exercised") context.skip(result.reason);
      else assertHeld(result);
    });
  }
});

// Invariants judge what all cases exchanged, undoing too: they come last.
describe("invariants", () => {
  before(() => session.close(), { timeout: 2 * caseMs });

  for (const instance of invariants) {
    test(titleOf(instance), (context) => {
      const result = session.conclude(instance);
      if (result.outcome === "not-exercised") context.skip(result.reason);
      else assertHeld(result);
    });
  }
});
