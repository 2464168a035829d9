import { liveFailureOf } from "../../reports/live-failure.ts";
import type { Case } from "../case/case.ts";
import type { RunOrder } from "../case/order.ts";
import type { EvidenceHeader } from "../evidence/events.ts";
import { createRecorder } from "../evidence/recorder.ts";
import { runAll } from "../runner/drive.ts";
import { keepHeapSmall } from "../runner/heap.ts";
import { isOwnFailure } from "../runner/own-failure.ts";
import { output } from "./output.ts";
import type { Progress } from "./progress.ts";

/** What asks a process to end: a user, whoever stops a CI job or a container, a terminal that is closed. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What Node tells of code that failed where nobody waited for it. */
const faults = ["uncaughtException", "unhandledRejection"] as const;

/** Where the evidence of a run is written, and how it begins. */
export interface EvidencePlace {
  readonly file: string;
  readonly header: EvidenceHeader;
}

/**
 * Runs an order in this process: records what is exchanged, and tells of each result as it comes. At the first signal no
 * further case is put and what was made is undone; at the next one it is left as it is.
 *
 * @returns Hallmark's own failures outside of any case, a sentence each; a failed case is a result, not one of these
 */
export async function runConformance(
  order: RunOrder,
  cases: readonly Case[],
  { file, header }: EvidencePlace,
  progress: Pick<Progress, "result">,
): Promise<readonly string[]> {
  const failures: string[] = [];
  const interrupt = new AbortController();
  const endEarly = () => {
    for (const signal of signals) process.off(signal, endEarly);
    output.printError("\nInterrupted: undoing what was made. Interrupt again to leave it there.\n");
    interrupt.abort();
  };
  const note = (error: unknown) => void failures.push(error instanceof Error ? error.message : String(error));
  const noteUnawaited = (error: unknown) => {
    if (isOwnFailure(error)) note(error);
  };
  for (const signal of signals) process.on(signal, endEarly);
  for (const fault of faults) process.on(fault, noteUnawaited);
  const heap = keepHeapSmall();
  try {
    await runAll(order, cases, {
      concurrency: order.target.limits.concurrency,
      adaptive: true,
      triage: true,
      interrupt: interrupt.signal,
      observers: [
        heap.observer,
        createRecorder(file, header),
        { onResult: (result) => progress.result(liveFailureOf(result)) },
      ],
    });
  } catch (error) {
    note(error);
  } finally {
    heap.letGrow();
    for (const fault of faults) process.off(fault, noteUnawaited);
    for (const signal of signals) process.off(signal, endEarly);
  }
  return failures;
}
