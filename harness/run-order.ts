import type { Selection } from "./plan.ts";
import type { CaseResult, RunSummary } from "./result.ts";
import type { TargetSettings } from "./target/schema.ts";

/** What the command line asks of the conformance spec; crosses to vitest's worker, so plain data. */
export interface RunOrder {
  readonly target: TargetSettings;
  readonly seed: number;
  readonly runs: number;
  readonly selection: Selection;
  /** How results say they are replayed. */
  readonly command: string;
}

declare module "vitest" {
  interface ProvidedContext {
    hallmark: RunOrder | undefined;
  }
  interface TaskMeta {
    hallmark?: CaseResult;
    hallmarkRun?: RunSummary;
  }
}
