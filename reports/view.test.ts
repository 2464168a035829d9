import { expect, test } from "vitest";
import { conformantResults, sampleResults } from "./sample.ts";
import { byReason, entriesHaving, viewOf } from "./view.ts";

test("groups RPCs by service and puts the worst entries first", () => {
  const view = viewOf(sampleResults());
  expect(view.services.map(({ service }) => service)).toEqual([
    "ArtifactService",
    "CatalogService",
    "JobService",
    "SecretService",
    "WebhookService",
  ]);
  const rotate = view.rpcs.find(({ name }) => name.method === "RotateSecret");
  expect(rotate?.entries[0]).toMatchObject({ outcome: "violated", case: { id: "version/stale-is-refused" } });
});

test("every count of a roll-up is the number of entries shown for it", () => {
  for (const { result, entries } of viewOf(sampleResults()).rpcs) {
    const having = (outcome: string) => entries.filter((entry) => entry.outcome === outcome).length;
    expect([result.held, result.violated, result.unproven, result.notExercised]).toEqual(
      ["held", "violated", "unproven", "not-exercised"].map(having),
    );
  }
});

test("a narrowed run never claims conformance", () => {
  expect(viewOf(conformantResults()).headline).toEqual({
    verdict: "conformant",
    word: "Conformant",
    sentence: "21 of 21 RPCs conformant.",
  });
  expect(viewOf({ ...conformantResults(), complete: false, selection: ["--only wire/*"] }).headline).toEqual({
    verdict: "incomplete",
    word: "Held in part",
    sentence: "21 of 21 RPCs conformant, in a partial run.",
  });
});

test("says the worst there is", () => {
  expect(viewOf(sampleResults()).headline.word).toBe("Non-conformant");
});

test("groups open entries by reason, and finds one where a case blamed another RPC", () => {
  const reasons = byReason(entriesHaving(viewOf(sampleResults()), "unproven")).map(([reason, entries]) => [
    reason,
    entries.length,
  ]);
  expect(reasons).toEqual([
    ["CreateWebhookEndpoint answered wrongly on the way", 1],
    ["needs CreateWebhookEndpoint, which failed in wire/json-form", 1],
  ]);
});
