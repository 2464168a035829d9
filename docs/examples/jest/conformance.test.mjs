import { test } from "@jest/globals";
import { assertHeld, cases, checkTarget, createOrder, readTargetFile, runAll } from "hallmark";

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

// A test of Jest cannot skip itself once it runs, so all is run before, and each result is a test.
const { results } = await runAll(order, cases);

for (const result of results) {
  const judged = result.outcome === "not-exercised" ? test.skip : test;
  judged(`${result.id} · ${result.rpc}`, () => assertHeld(result));
}
