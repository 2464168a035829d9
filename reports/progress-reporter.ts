import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { LiveFailure } from "./live-failure.ts";

/** Where the progress of a run is shown. */
export interface ProgressSink {
  /** One more case is over; what is said of it at once where it was violated, unproven or in error. */
  result(failure?: LiveFailure): void;
}

declare module "vitest" {
  interface TaskMeta {
    /** What the spec says of a case that did not hold. */
    failure?: LiveFailure;
  }
}

/** The name of the tests that are cases, or invariants: `area/what-is-required · package.Service/Method`. */
const caseTitle = / · /;

/** Errors of a test whose case did not hold, the second of one that is violated: a result, not a defect. */
const notHeld = ["NotHeld", "AssertionError"];

/** Shows how far the conformance spec is. What the cases came to stands in the evidence that the spec writes. */
export class ProgressReporter implements Reporter {
  /** Why the spec itself failed, where it did: Hallmark's own fault. */
  readonly defects: string[] = [];
  readonly #progress: ProgressSink;

  constructor(progress: ProgressSink) {
    this.#progress = progress;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (caseTitle.test(test.name)) this.#progress.result(state === "failed" ? test.meta().failure : undefined);
    const own = errors.filter(({ name }) => !notHeld.includes(name ?? "")).map(({ message }) => message);
    if (own.length > 0) this.defects.push(`${test.fullName}: ${own.join("; ")}`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    this.defects.push(...unhandled.map((error) => error.message));
    for (const module of modules) this.defects.push(...module.errors().map((error) => error.message));
  }
}
