import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { CaseResult, RunSummary, RunTriage } from "../harness/case/result.ts";

/** What a collector is told as the run goes on. */
export interface CollectorEvents {
  /** The cases are known: how many there are. */
  planned(total: number): void;
  result(result: CaseResult): void;
}

/** Collects the results that the conformance spec leaves in the meta of its tests. */
export class Collector implements Reporter {
  readonly results: CaseResult[] = [];
  /** What the spec says at its end; undefined while, or if, it does not come to that. */
  summary: RunSummary | undefined;
  /** Why the spec itself failed, where it did: Hallmark's own fault. */
  readonly defects: string[] = [];
  readonly #events: CollectorEvents;

  constructor(events: CollectorEvents) {
    this.#events = events;
  }

  onTestModuleCollected(module: TestModule): void {
    // One test repeats what is red, one undoes; all others are cases.
    this.#events.planned([...module.children.allTests()].length - 2);
  }

  onTestCaseResult(test: TestCase): void {
    const { hallmark, hallmarkRun, hallmarkTriage } = test.meta() as {
      hallmark?: CaseResult;
      hallmarkRun?: RunSummary;
      hallmarkTriage?: RunTriage;
    };
    for (const { id, rpc, triage } of hallmarkTriage ?? []) {
      const place = this.results.findIndex((result) => result.id === id && result.rpc === rpc);
      const result = this.results[place];
      if (result !== undefined) this.results[place] = { ...result, triage };
    }
    if (hallmarkRun !== undefined) this.summary = hallmarkRun;
    if (hallmark !== undefined) {
      this.results.push(hallmark);
      this.#events.result(hallmark);
    } else if (test.result().state === "failed") {
      this.defects.push(
        `${test.fullName}: ${test
          .result()
          .errors?.map((error) => error.message)
          .join("; ")}`,
      );
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    this.defects.push(...unhandled.map((error) => error.message));
    for (const module of modules) this.defects.push(...module.errors().map((error) => error.message));
  }
}
