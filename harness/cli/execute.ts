import { accessSync, constants, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Collector } from "../../reports/collector.ts";
import type { Case } from "../case/case.ts";
import type { Results } from "../case/result.ts";
import { wholeOf } from "../case/selection.ts";
import { headerOf, plannedInstances, type RunPlan } from "../evidence/header.ts";
import { type Evidence, readEvidence } from "../evidence/read.ts";
import { UsageError } from "../target/load.ts";
import { runConformanceSpec } from "./conformance.ts";
import { CommandFailure, exits } from "./exit.ts";
import type { Progress } from "./progress.ts";
import { composeResults, recordedIn } from "./results.ts";

/** What a run came to. */
export interface Executed {
  readonly results: Results;
  /** The evidence file, and the hash that stands for it; undefined where the run did not come to its end. */
  readonly evidence: { readonly file: string; readonly head: string } | undefined;
  /** Planned cases came to no result: Hallmark's own fault. */
  readonly lost: boolean;
}

/** Finds out before the run, not after it, whether its reports can be written. */
export function prepareOutput(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out ${directory} cannot be written (${code}); choose another directory.`);
  }
}

/**
 * Runs the suite by a plan, and derives the results from the evidence it wrote.
 * @throws CommandFailure where Hallmark itself failed, UsageError where the filters leave nothing to run
 */
export async function execute(
  plan: RunPlan,
  cases: readonly Case[],
  out: string,
  progress: Progress,
): Promise<Executed> {
  if (plannedInstances(plan, cases).length === 0) {
    const of = plannedInstances({ ...plan, selection: wholeOf(plan.selection) }, cases).length;
    if (of > 0) throw new UsageError(`None of the ${of} selected cases falls to this shard; use fewer shards.`);
    throw new UsageError("The filters leave no case to run; no selected case is about a selected service.");
  }
  const startedAt = new Date();
  const header = headerOf(plan, cases, startedAt);
  const file = join(out, "evidence.jsonl");
  // That of the run before would be taken for this one's, should this one not come to write any.
  rmSync(file, { force: true });
  const { settings, seed, runs, selection, command, limits } = plan;
  const collector = new Collector({
    planned: (total) => progress.planned(total),
    result: ({ outcome }) => progress.result(outcome !== "held" && outcome !== "not-exercised"),
  });
  const order = { target: settings, seed, runs, selection, command, limits, evidence: { file, header } };
  const allure = plan.allure ? { allure: join(out, "allure-results") } : {};
  await runConformanceSpec({ ...order, ...allure }, [collector]);
  progress.end();
  const { results, summary, defects } = collector;
  if (results.length === 0 || defects.length > 0) {
    throw new CommandFailure(`Hallmark failed: ${defects.join("; ") || "no case came to a result"}`, exits.defect);
  }
  const evidence = readWhole(file);
  const recorded =
    evidence === undefined
      ? { header, results, summary, durationMs: Date.now() - startedAt.getTime() }
      : recordedIn(evidence);
  return {
    results: composeResults(recorded, cases),
    evidence: evidence === undefined ? undefined : { file, head: evidence.head },
    lost: evidence === undefined || evidence.cases.length < header.planned,
  };
}

/** The evidence a run has just written; undefined where the run broke off before its end. */
function readWhole(file: string): Evidence | undefined {
  try {
    return readEvidence(file, "outcome");
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
