import * as allure from "allure-js-commons";
import { afterAll, describe, inject, type TestContext, test } from "vitest";
import type { RunOrder } from "../harness/case/order.ts";
import type { Instance } from "../harness/case/plan.ts";
import type { CaseResult } from "../harness/case/result.ts";
import type { Handover } from "../harness/evidence/handover.ts";
import { createRecorder } from "../harness/evidence/recorder.ts";
import { assertHeld, titleOf } from "../harness/runner/assert.ts";
import { keepHeapSmall } from "../harness/runner/heap.ts";
import { onInterrupt } from "../harness/runner/interrupt.ts";
import { createOrder } from "../harness/runner/order.ts";
import { openSession } from "../harness/runner/session.ts";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { liveFailureOf } from "../reports/live-failure.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();

/** Without an order from the command line this judges the embedded reference, as one more test of the project. */
async function attach(): Promise<Handover & { detach: () => Promise<void> }> {
  const given = inject("hallmark");
  if (given !== undefined) return { ...given, detach: async () => {} };
  const reference = await startEmbedded(judgedServices);
  const target = checkTarget(reference.file, "the embedded reference");
  const order: RunOrder = createOrder({ target, seed: 1, runs: 20, command: "hallmark run --embedded" }, cases);
  return { order, detach: () => reference.close() };
}

const { order, evidence, detach } = await attach();
const recorder = evidence === undefined ? undefined : createRecorder(evidence.file, evidence.header);
const session = openSession(order, cases, { observers: recorder === undefined ? [] : [recorder] });
const { run, runnable, invariants, caseMs } = session;
const { replyMs } = run.target.limits;
const ignoreInterrupts = onInterrupt(session.interrupt);
const letHeapGrow = keepHeapSmall();
afterAll(detach);
afterAll(ignoreInterrupts);
afterAll(letHeapGrow);
// A run that did not come to its end leaves evidence without a footer, which is refused as cut short.
afterAll(session.end);

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

/** Tells vitest (and Allure) what came of a case. */
function conclude(result: CaseResult, { skip, task }: TestContext): void {
  const failure = liveFailureOf(result);
  if (failure !== undefined) task.meta.failure = failure;
  if (result.outcome === "not-exercised") skip(result.reason);
  assertHeld(result);
}

const titled = <I extends Instance>(instances: readonly I[]) =>
  instances.map((instance) => [titleOf(instance), instance] as const);

describe.concurrent("cases", () => {
  test.for(titled(runnable))("%s", { timeout: caseMs + replyMs + 10_000 }, async ([, instance], context) => {
    await label(instance);
    conclude(await session.runCase(instance), context);
  });
});

describe("conclusions", () => {
  // Alone, now that no other case is under way.
  test("red cases are repeated", { timeout: 40 * run.caseMs }, async () => void (await session.triage()));
  // Invariants judge what all cases exchanged, so they come last; undoing is judged by them too.
  test("everything the run made is undone", { timeout: 2 * run.caseMs }, async () => void (await session.close()));
  test.for(titled(invariants))("%s", async ([, instance], context) => {
    await label(instance);
    conclude(session.conclude(instance), context);
  });
});
