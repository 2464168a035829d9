import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reporter } from "vitest/node";
import { startVitest } from "vitest/node";
import type { Handover } from "../evidence/handover.ts";
import { moduleExtension } from "../package/home.ts";
import { giveHeapBack, keepYoungHeapsSmall } from "../runner/heap.ts";
import { sendInterrupt } from "../runner/interrupt.ts";
import { allureConfig, allureReport, allureReportName } from "./allure.ts";
import { output } from "./output.ts";

const root = join(import.meta.dirname, "../..");
const spec = `suites/conformance.spec${moduleExtension}`;

/** What asks a process to end: a user, whoever stops a CI job or a container, a terminal that is closed. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** At the first signal the run undoes what it made; at the next one it is left as it is. */
function endEarly(): void {
  for (const signal of signals) process.off(signal, endEarly);
  output.printError("\nInterrupted: undoing what was made. Interrupt again to leave it there.\n");
  sendInterrupt();
}

/** Runs the conformance spec in a vitest worker of its own, with these reporters. Rejects only on vitest's own failure. */
export async function runConformanceSpec(handover: Handover, reporters: Reporter[]): Promise<void> {
  const { order } = handover;
  const { allure } = order;
  // Results of the run before would be reported with those of this one.
  if (allure !== undefined) {
    rmSync(allure, { recursive: true, force: true });
    output.write(join(dirname(allure), allureReportName), allureReport(order));
  }
  const before = new Map(signals.map((signal) => [signal, new Set(process.listeners(signal))]));
  for (const signal of signals) process.on(signal, endEarly);
  // vitest leaves at a signal, and what the run made would stay.
  const staying: Reporter = {
    onInit() {
      for (const signal of signals) {
        for (const one of process.listeners(signal)) {
          if (one !== endEarly && before.get(signal)?.has(one) !== true) process.off(signal, one);
        }
      }
    },
    // What vitest took to start is a hundred megabytes; from here on this thread only listens.
    onTestModuleCollected: giveHeapBack,
  };
  // Allure writes its results itself: only their owner may read them, either.
  const umask = process.umask(0o077);
  keepYoungHeapsSmall();
  const vitest = await startVitest("test", [spec], {
    root,
    config: false,
    watch: false,
    include: [spec],
    setupFiles: allure === undefined ? [] : ["allure-vitest/setup"],
    reporters: [
      staying,
      ...reporters,
      ...(allure === undefined
        ? []
        : [["allure-vitest/reporter", { ...allureConfig(order, allure, output.redact) }] satisfies [string, object]]),
    ],
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    // Nothing is kept where Hallmark lives: a package may lie where this user cannot write.
    cache: false,
    fsModuleCache: false,
    maxConcurrency: order.target.limits.concurrency,
    // The worker ends once the reporters have taken in thousands of results; vitest calls that overdue after ten seconds.
    teardownTimeout: 60_000,
    provide: { hallmark: handover },
    // Node runs our own modules as they are; transforming them again would only delay the first case.
    server: { deps: { external: [/\/(harness|proto|suites|reports)\/(?!.*\.spec\.)/] } },
  });
  await vitest.close();
  process.umask(umask);
  for (const signal of signals) process.off(signal, endEarly);
  // A failed case is a result, not a failure of this process: the command decides on its exit code.
  process.exitCode = 0;
}
