import type { Case, Instance, RuleCase, StandingRule, StoryCase } from "./case.ts";
import { planInstances } from "./case.ts";
import type { CaseResult } from "./result.ts";
import { createRun, type Run, type RunOptions } from "./run.ts";
import { concludeStanding, runCase } from "./run-case.ts";
import type { Target } from "./target/target.ts";

/** True for what is asked of the target; false for what is concluded from everything it answered. */
export function isAsked(instance: Instance): instance is Instance<StoryCase | RuleCase> {
  return instance.case.kind !== "standing";
}

/** True for what is concluded once all else has run. */
export function isStanding(instance: Instance): instance is Instance<StandingRule> {
  return instance.case.kind === "standing";
}

export interface RunAllOptions extends Omit<RunOptions, "standing"> {
  readonly cases: readonly Case[];
  /** Leaves instances out; default none. */
  readonly select?: (instance: Instance) => boolean;
  /** Cases under way at once; requests are limited by the target besides. Default 32. */
  readonly atOnce?: number;
  readonly onResult?: (result: CaseResult) => void;
  /** Ends early: no further case is started. */
  readonly stop?: (run: Run) => boolean;
  /** Cases to start before the others. */
  readonly first?: (instance: Instance) => boolean;
}

/** What running cases in this process comes to. */
export interface Ran {
  readonly results: readonly CaseResult[];
  readonly run: Run;
}

/** Runs cases against a target in this process: for the proof, and for whoever brings a runner of their own. */
export async function runAll(target: Target, options: RunAllOptions): Promise<Ran> {
  const instances = planInstances(options.cases, target.packages).filter(options.select ?? (() => true));
  const standing = [...new Set(instances.filter(isStanding).map((instance) => instance.case))];
  const run = createRun(target, { ...options, standing });
  const results: CaseResult[] = [];
  const enter = (result: CaseResult) => {
    results.push(result);
    options.onResult?.(result);
  };
  const { first } = options;
  const asked = instances.filter(isAsked);
  if (first !== undefined) asked.sort((a, b) => Number(first(b)) - Number(first(a)));
  let next = 0;
  const worker = async () => {
    for (let one = asked[next++]; one !== undefined && options.stop?.(run) !== true; one = asked[next++]) {
      enter(await runCase(one, run));
    }
  };
  await Promise.all(Array.from({ length: options.atOnce ?? 32 }, worker));
  await run.close();
  for (const instance of instances.filter(isStanding)) enter(concludeStanding(instance, run));
  return { results, run };
}
