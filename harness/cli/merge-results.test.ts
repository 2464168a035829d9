import { expect, test } from "vitest";
import { sortResults } from "../../reports/order.ts";
import { loadCases } from "../../suites/cases.ts";
import type { CaseResult, Results } from "../case/result.ts";
import type { Selection } from "../case/selection.ts";
import { headerOf } from "../evidence/header.ts";
import { checkShards } from "../gates/shard-check.ts";
import { runAll } from "../runner/drive.ts";
import { createOrder } from "../runner/order.ts";
import { findFault } from "../servers/faults/index.ts";
import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { mergeResults } from "./merge-results.ts";
import { composeResults } from "./results.ts";

const cases = await loadCases();

/** Runs a selection on a server of its own, as a machine of many would. */
async function runPart(selection: Selection, decoration: object = {}): Promise<Results> {
  const reference = await startEmbedded(onlyService("alpha.v1", { decoration }));
  try {
    const settings = checkTarget(reference.file, "the embedded reference");
    const order = createOrder({ target: settings, seed: 7, runs: 2, selection, record: false }, cases);
    const { results, summary } = await runAll(order, cases, { skipCleanup: true });
    return composeResults({ header: headerOf(order, new Date()), results, summary, durationMs: 1 });
  } finally {
    await reference.close();
  }
}

async function runShards(selection: Selection, count: number, decoration?: object): Promise<Results> {
  const indexes = Array.from({ length: count }, (_, place) => place + 1);
  const found = await Promise.all(
    indexes.map(async (index) => {
      const results = await runPart({ ...selection, shard: { index, count } }, decoration);
      return { path: `shards/${index}`, results };
    }),
  );
  const [first, ...others] = checkShards(found);
  if (first === undefined) throw new Error("there is no shard");
  return mergeResults(first, others, {});
}

/** What a result comes to, without times, evidence and how often it was looked at. */
function essence({ id, rpc, outcome, level, says, clauses, findings }: CaseResult) {
  return { id, rpc, outcome, level, says, clauses, findings: findings.map(({ clause, rpc: at }) => `${clause} ${at}`) };
}

function essenceOf(results: Results) {
  const { cases: all, rpcs, selection, complete, contract, target, summary, ...rest } = sortResults(results);
  const { exchanges: _exchanges, ...counts } = summary;
  // What is looked up once a run is noted at the RPC whose case was the first to ask.
  const observed = new Set(rest.observations.map(({ clause, value }) => `${clause} ${value}`));
  return { cases: all.map(essence), rpcs, selection, complete, contract, observed, name: target.name, counts };
}

test("shards of any number merge into what one machine comes to", { timeout: 300_000 }, async () => {
  const selection = { only: [], services: ["SecretService"] };
  const whole = essenceOf(await runPart(selection));
  expect(whole.cases.length).toBeGreaterThan(150);
  expect(whole.counts.held).toBeGreaterThan(150);
  for (const count of [1, 2, 3, 4, 5]) {
    expect(essenceOf(await runShards(selection, count)), `${count} shards`).toEqual(whole);
  }
});

test.each([
  ["a case", "version/alpha.DeleteSecret-low-32-bits", "version/*"],
  [
    "an invariant",
    "transport/answer-form/alpha.v1.SecretService/GetSecret/code-missing",
    "transport/unary-replies-have-connect-form",
  ],
])("a breach that %s sees is in the merged results", async (_by, id, only) => {
  const { decoration } = await findFault(id);
  const selection = { only: [only, "lifecycle/*", "auth/*"], services: ["SecretService"] };
  const whole = await runPart(selection, decoration);
  const merged = await runShards(selection, 3, decoration);
  expect(whole.summary.violated).toBeGreaterThan(0);
  expect(essenceOf(merged)).toEqual(essenceOf(whole));
  // Each shard makes what its own cases need: together at least what one machine makes.
  expect(merged.usage?.resources).toBeGreaterThanOrEqual(whole.usage?.resources ?? Number.NaN);
  expect(merged.usage?.jobs).toBeGreaterThanOrEqual(whole.usage?.jobs ?? Number.NaN);
  for (const { findings, exchanges } of merged.cases) {
    const numbers = exchanges.map(({ number }) => number);
    expect(findings.every((finding) => finding.exchanges.every((number) => numbers.includes(number)))).toBe(true);
  }
});
