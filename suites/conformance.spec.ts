import { afterAll, inject } from "vitest";
import type { RunOrder } from "../harness/case/order.ts";
import type { Handover } from "../harness/evidence/handover.ts";
import { createRecorder } from "../harness/evidence/recorder.ts";
import { keepHeapSmall } from "../harness/runner/heap.ts";
import { onInterrupt } from "../harness/runner/interrupt.ts";
import { createOrder } from "../harness/runner/order.ts";
import { openSession } from "../harness/runner/session.ts";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { declareTests } from "../harness/vitest/tests.ts";
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
const heap = keepHeapSmall();
const session = openSession(order, cases, {
  observers: [heap.observer, ...(recorder === undefined ? [] : [recorder])],
});
const ignoreInterrupts = onInterrupt(session.interrupt);
afterAll(detach);
afterAll(ignoreInterrupts);
afterAll(heap.letGrow);
// A run that did not come to its end leaves evidence without a footer, which is refused as cut short.
afterAll(session.end);

declareTests(session, {
  triage: true,
  onResult(result, { task }) {
    const failure = liveFailureOf(result);
    if (failure !== undefined) task.meta.failure = failure;
  },
});
