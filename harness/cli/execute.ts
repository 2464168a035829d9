import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../case/case.ts";
import type { RunOrder } from "../case/order.ts";
import type { Results } from "../case/result.ts";
import { headerOf } from "../evidence/header.ts";
import { type RecordedEvidence, readBrokenOff } from "../evidence/read.ts";
import { UsageError } from "../target/load.ts";
import { runConformance } from "./conformance.ts";
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
 * Runs the suite by an order, and derives the results from the evidence it wrote, and from them what Allure reads.
 *
 * @param cases all cases there are: the order names some of them
 * @throws CommandFailure where Hallmark itself failed
 */
export async function execute(
  order: RunOrder,
  cases: readonly Case[],
  out: string,
  progress: Progress,
): Promise<Executed> {
  const file = join(out, evidenceName);
  // That of the run before would be taken for this one's, should this one not come to write any.
  rmSync(file, { force: true });
  progress.planned(order.planned.length);
  const header = headerOf(order, new Date());
  const defects = await runConformance(order, cases, { file, header }, progress);
  progress.end();
  const recorded = readEvidenceOf(file);
  if (recorded === undefined || recorded.cases.length === 0 || defects.length > 0) {
    throw new CommandFailure(`Hallmark failed: ${defects.join("; ") || "no case came to a result"}`, exits.defect);
  }
  const isWhole = recorded.footer !== undefined;
  const results = composeResults(recordedIn(recorded));
  // What makes Allure's results is loaded by runs that want them.
  if (order.allure !== undefined) (await import("./allure.ts")).writeAllure(results, order, order.allure);
  return {
    results,
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
