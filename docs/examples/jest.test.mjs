import { test } from "@jest/globals";
import { assertHeld, cases, checkTarget, createFilter, createTarget, readTargetFile, runAll } from "hallmark";

const file = "target.yaml";
const target = createTarget(checkTarget(readTargetFile(file), file));

// A test of Jest cannot skip itself once it runs, so all is run before, and each result is a test.
const { results } = await runAll(target, {
  cases,
  select: createFilter({ only: [], services: ["CatalogService"] }, cases),
  seed: Math.trunc(Math.random() * 2 ** 31),
  runs: 20,
});

for (const result of results) {
  const judged = result.outcome === "not-exercised" ? test.skip : test;
  judged(`${result.id} · ${result.rpc}`, () => assertHeld(result));
}
