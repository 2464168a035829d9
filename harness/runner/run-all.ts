import type { Case } from "../case/case.ts";
import { type Instance, isInvariant, isRunnable, planInstances } from "../case/plan.ts";
import type { CaseResult, Finding } from "../case/result.ts";
import type { Target } from "../target/target.ts";
import { createRun, type Run, type RunOptions } from "./run.ts";
import { concludeInvariant, runCase } from "./run-case.ts";
import { type Asked, triageRed, withTriage } from "./triage.ts";

export interface RunAllOptions extends Omit<RunOptions, "invariants"> {
  readonly cases: readonly Case[];
  /** Leaves instances out; default none. */
  readonly select?: (instance: Instance) => boolean;
  /** Cases under way at once; requests are limited by the target besides. Default 32. */
  readonly concurrency?: number;
  readonly onResult?: (result: CaseResult) => void;
  /** Gives the run up at the first finding like this: what is under way ends, and nothing is concluded. */
  readonly failFast?: (finding: Finding) => boolean;
  /** Orders the cases: those of a lower rank start first. */
  readonly rank?: (instance: Instance) => number;
  /** Repeats red cases once all others are through, and adds to their results how they behaved. Default: does not. */
  readonly triage?: boolean;
}

/** What running cases in this process comes to. */
export interface Ran {
  readonly results: readonly CaseResult[];
  readonly run: Run;
}

/** Runs cases against a target in this process: for the proof, and for whoever brings a runner of their own. */
export async function runAll(target: Target, options: RunAllOptions): Promise<Ran> {
  const instances = planInstances(options.cases, target.packages).filter(options.select ?? (() => true));
  const standing = [...new Set(instances.filter(isInvariant).map((instance) => instance.case))];
  const { failFast = () => false, rank } = options;
  const run = createRun(target, {
    ...options,
    invariants: standing,
    onInvariantFinding(found) {
      options.onInvariantFinding?.(found);
      if (failFast(found.finding)) run.abandon();
    },
  });
  const results: CaseResult[] = [];
  const ran: Asked[] = [];
  const enter = (result: CaseResult) => {
    results.push(result);
    options.onResult?.(result);
    if (result.findings.some(failFast)) run.abandon();
  };
  const asked = instances.filter(isRunnable);
  if (rank !== undefined) asked.sort((a, b) => rank(a) - rank(b));
  let next = 0;
  const worker = async () => {
    for (let one = asked[next++]; one !== undefined && !run.ended.aborted; one = asked[next++]) {
      const result = await runCase(one, run);
      ran.push({ instance: one, result });
      enter(result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency ?? 32 }, worker));
  await run.close();
  if (run.ended.aborted) return { results, run };
  for (const instance of instances.filter(isInvariant)) enter(concludeInvariant(instance, run));
  if (options.triage !== true) return { results, run };
  const { classes, leftovers } = await triageRed(run, ran);
  run.leftovers.push(...leftovers);
  return { results: withTriage(results, classes), run };
}
