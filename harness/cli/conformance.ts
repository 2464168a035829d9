import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Reporter } from "vitest/node";
import { startVitest } from "vitest/node";
import type { RunOrder } from "../run-order.ts";

const root = join(import.meta.dirname, "../..");

/** Runs the conformance spec in a vitest worker of its own, with these reporters. Rejects only on vitest's own failure. */
export async function runConformanceSpec(order: RunOrder, reporters: Reporter[], allureDir: string): Promise<void> {
  // Results of the run before would be reported with those of this one.
  rmSync(allureDir, { recursive: true, force: true });
  const vitest = await startVitest("test", ["suites/conformance.spec.ts"], {
    root,
    config: false,
    watch: false,
    include: ["suites/conformance.spec.ts"],
    setupFiles: ["allure-vitest/setup"],
    reporters: [...reporters, ["allure-vitest/reporter", { resultsDir: allureDir }]],
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    maxConcurrency: order.target.limits.concurrency,
    provide: { hallmark: order },
    // Node runs our own modules as they are; transforming them again would only delay the first case.
    server: { deps: { external: [/\/(harness|proto|suites|reports)\/(?!.*\.spec\.ts)/] } },
  });
  await vitest.close();
  // A failed case is a result, not a failure of this process: the command decides on its exit code.
  process.exitCode = 0;
}
