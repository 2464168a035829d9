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

test("one cause is one group, whatever ids, names and numbers a server's words quote", () => {
  const results = sampleResults();
  const [first] = results.cases;
  if (first === undefined) throw new Error("the sample has no case");
  const refusal = (id: string, name: string) =>
    `needs CreateSession, which was refused: HTTP 400 invalid_argument "no ${name} ${id}, 3 left"`;
  const reasons = [
    refusal("0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11", "hallmark-42-user-a"),
    refusal("0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a12", "hallmark-43-user-b"),
    'needs CreateSession, which was refused: HTTP 403 permission_denied "no"',
  ];
  const cases = reasons.map((reason) => ({ ...first, outcome: "unproven" as const, findings: [], reason }));
  const groups = byReason(entriesHaving(viewOf({ ...results, cases }), "unproven"));
  expect(groups.map(([reason, of]) => [reason, of.length])).toEqual([
    [reasons[0], 2],
    [reasons[2], 1],
  ]);
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
