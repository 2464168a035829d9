import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

/** Runs cases of alpha.v1 on a reference with a decoration, with little patience. */
async function resultsOf(only: string, decoration: object, patience: Partial<TargetFile["patience"]>) {
  const reference = await startEmbedded(onlyService("alpha.v1", { decoration }));
  try {
    const cases = await loadCases();
    const target = checkTarget({ ...reference.file, patience }, "a test");
    const order = createOrder({ target, seed: 1, runs: 4, selection: { only: [only], services: [] } }, cases);
    return await runAll(order, cases);
  } finally {
    await reference.close();
  }
}

test("an address that answers later than its case has time for is no breach", async () => {
  const slow = (request: { method?: string }, _response: unknown, next: () => void) =>
    void setTimeout(next, request.method === "GET" ? 3000 : 0);
  const only = "lifecycle/download-returns-the-uploaded-bytes";
  const { results } = await resultsOf(only, { raw: slow }, { caseMs: 1500 });
  const own = results.filter(({ id }) => id === only);
  expect(own).toMatchObject([{ outcome: "unproven", findings: [], reason: "the case ran out of time" }]);
});

test("once the run's time is up, cases under way end, and what there is no time to undo is listed", async () => {
  const patience = { runMs: 1200, caseMs: 900, replyMs: 5000 };
  // A job is read, so late that no time is left to delete it.
  const raw = (request: { url?: string }, _response: unknown, next: () => void) =>
    void setTimeout(next, request.url?.endsWith("/GetJob") === true ? 3000 : 0);
  const decoration = { choices: { delayMs: 500 }, raw };
  const { results, run } = await resultsOf("lifecycle/valid-call-is-served", decoration, patience);
  expect(results.filter(({ outcome }) => outcome === "violated")).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === "unproven").length).toBeGreaterThan(10);
  expect(run.leftovers.length).toBeGreaterThan(0);
  expect(run.leftovers.join("\n")).toContain("no time was left to undo it");
});
