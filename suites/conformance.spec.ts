import * as allure from "allure-js-commons";
import { afterAll, describe, inject, type TestContext, test } from "vitest";
import { type Instance, isInvariant, isRunnable, planInstances } from "../harness/case/plan.ts";
import type { CaseResult, RunSummary, RunTriage } from "../harness/case/result.ts";
import { createFilter } from "../harness/case/selection.ts";
import { createRecorder } from "../harness/evidence/recorder.ts";
import { keepHeapSmall } from "../harness/runner/heap.ts";
import { listenForInterrupt, notPut } from "../harness/runner/interrupt.ts";
import { createRun } from "../harness/runner/run.ts";
import { concludeInvariant, runCase } from "../harness/runner/run-case.ts";
import type { RunOrder } from "../harness/runner/run-order.ts";
import { assertHeld, titleOf } from "../harness/runner/session.ts";
import { type Asked, triageRed } from "../harness/runner/triage.ts";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { createTarget } from "../harness/target/target.ts";
import { loadCases } from "./cases.ts";

/** Without an order from the command line this judges the embedded reference, as one more test of the project. */
async function attach(): Promise<{ order: RunOrder; detach: () => Promise<void> }> {
  const order = inject("hallmark");
  if (order !== undefined) return { order, detach: async () => {} };
  const reference = await startEmbedded(judgedServices);
  return {
    order: {
      target: checkTarget(reference.file, "the embedded reference"),
      seed: 1,
      runs: 20,
      selection: { only: [], services: [] },
      command: "hallmark run --embedded",
    },
    detach: () => reference.close(),
  };
}

const { order, detach } = await attach();
const cases = await loadCases();
const target = createTarget(order.target);
const instances = planInstances(cases, target.packages).filter(createFilter(order.selection, cases));
const standing = [...new Set(instances.filter(isInvariant).map((instance) => instance.case))];
const { seed, runs, command, limits = {}, evidence } = order;
const recorder = evidence === undefined ? undefined : createRecorder(evidence.file, evidence.header);
const run = createRun(target, {
  seed,
  runs,
  invariants: standing,
  command,
  limits: limits,
  observer: recorder?.observer ?? {},
});
const interrupt = listenForInterrupt();
const letHeapGrow = keepHeapSmall();
const asked: Asked[] = [];
let triage: RunTriage = [];
let summary: RunSummary | undefined;
afterAll(detach);
afterAll(() => interrupt.close());
afterAll(() => letHeapGrow());
// Without a summary the run did not come to its end: its evidence then has no footer, and is refused as cut short.
afterAll(() => {
  if (summary !== undefined) recorder?.finish(summary, triage, interrupt.interrupted);
});

/** Allure's labels, where its reporter is there to take them. */
async function label({ case: one, row, area }: Instance): Promise<void> {
  if (order.allure === undefined) return;
  await allure.labels(
    { name: "epic", value: row.package },
    { name: "feature", value: row.service },
    { name: "story", value: row.method },
    { name: "tag", value: area },
    { name: "tag", value: one.id },
  );
  await allure.description(`${one.says}\n\nClauses: ${one.clauses.join(", ")}`);
}

/** Hands the result to the reporter, and tells vitest (and Allure) what came of it. */
function conclude(result: CaseResult, { task, skip }: TestContext): void {
  task.meta.hallmark = result;
  recorder?.enter(result);
  if (result.outcome === "not-exercised") skip(result.reason);
  assertHeld(result);
}

describe.concurrent("cases", () => {
  test.for(instances.filter(isRunnable).map((instance) => [titleOf(instance), instance] as const))(
    "%s",
    { timeout: run.caseMs + 10_000 },
    async ([, instance], context) => {
      await label(instance);
      const result = await runCase(interrupt.interrupted ? notPut(instance) : instance, run);
      asked.push({ instance, result });
      conclude(result, context);
    },
  );
});

describe("conclusions", () => {
  // Alone, now that no other case is under way. What was red stays red: its class is added to its result.
  test("red cases are repeated", { timeout: 40 * run.caseMs }, async ({ task }) => {
    const { classes, leftovers } = await triageRed(run, interrupt.interrupted ? [] : asked);
    run.leftovers.push(...leftovers);
    triage = classes;
    task.meta.hallmarkTriage = classes;
  });
  // Invariants judge what all cases exchanged, so they come last; undoing is judged by them too.
  test("everything the run made is undone", { timeout: 2 * run.caseMs }, async ({ task }) => {
    await run.close();
    summary = {
      observations: [...run.observations, ...run.invariants.observations],
      leftovers: run.leftovers,
      exchanges: run.wire.count,
    };
    task.meta.hallmarkRun = summary;
  });
  test.for(instances.filter(isInvariant).map((instance) => [titleOf(instance), instance] as const))(
    "%s",
    async ([, instance], context) => {
      await label(instance);
      conclude(concludeInvariant(instance, run), context);
    },
  );
});
