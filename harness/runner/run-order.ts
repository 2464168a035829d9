import type { CaseResult, RunSummary, RunTriage } from "../case/result.ts";
import type { Selection } from "../case/selection.ts";
import type { EvidenceHeader } from "../evidence/events.ts";
import type { TargetSettings } from "../target/schema.ts";
import type { RequestLimits } from "./guard.ts";

/** What the command line asks of the conformance spec; crosses to vitest's worker, so plain data. */
export interface RunOrder {
  readonly target: TargetSettings;
  readonly seed: number;
  readonly runs: number;
  readonly selection: Selection;
  /** How results say they are replayed. */
  readonly command: string;
  /** What the run may send; default everything. */
  readonly limits?: RequestLimits;
  /** Directory of Allure's results; none where it is left out. */
  readonly allure?: string;
  /** Where its evidence is written, and how that begins; none where it is left out. */
  readonly evidence?: { readonly file: string; readonly header: EvidenceHeader };
}

declare module "vitest" {
  interface ProvidedContext {
    hallmark: RunOrder | undefined;
  }
  interface TaskMeta {
    hallmark?: CaseResult;
    hallmarkRun?: RunSummary;
    hallmarkTriage?: RunTriage;
  }
}
