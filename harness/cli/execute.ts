import { rmSync } from "node:fs";
import { join } from "node:path";
import { ProgressReporter } from "../../reports/progress-reporter.ts";
import type { RunOrder } from "../case/order.ts";
import type { Results } from "../case/result.ts";
import { headerOf } from "../evidence/header.ts";
import { type RecordedEvidence, readBrokenOff } from "../evidence/read.ts";
import { UsageError } from "../target/load.ts";
import { runConformanceSpec } from "./conformance.ts";
import { CommandFailure, exits } from "./exit.ts";
import type { Progress } from "./progress.ts";
import { evidenceName } from "./reports.ts";
import { composeResults, recordedIn } from "./results.ts";

/** What a run came to. */
export interface Executed {
  readonly results: Results;
  /** The evidence file, and the hash that stands for it; undefined where the run did not come to its end. */
  readonly evidence: { readonly file: string; readonly head: string } | undefined;
  /** Planned cases came to no result: Hallmark's own fault. */
  readonly lost: boolean;
}

/**
 * Runs the suite by an order, and derives the results from the evidence it wrote.
 * @throws CommandFailure where Hallmark itself failed
 */
export async function execute(order: RunOrder, out: string, progress: Progress): Promise<Executed> {
  const file = join(out, evidenceName);
  // That of the run before would be taken for this one's, should this one not come to write any.
  rmSync(file, { force: true });
  progress.planned(order.planned.length);
  const reporter = new ProgressReporter(progress);
  const header = headerOf(order, new Date());
  await runConformanceSpec({ order, evidence: { file, header } }, [reporter]);
  progress.end();
  const recorded = readEvidenceOf(file);
  const { defects } = reporter;
  if (recorded === undefined || recorded.cases.length === 0 || defects.length > 0) {
    throw new CommandFailure(`Hallmark failed: ${defects.join("; ") || "no case came to a result"}`, exits.defect);
  }
  const isWhole = recorded.footer !== undefined;
  return {
    results: composeResults(recordedIn(recorded)),
    evidence: isWhole ? { file, head: recorded.head } : undefined,
    lost: !isWhole || recorded.cases.length < header.planned,
  };
}

/** The evidence a run has just written, as far as it goes; undefined where it wrote none. */
function readEvidenceOf(file: string): RecordedEvidence | undefined {
  try {
    return readBrokenOff(file);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
