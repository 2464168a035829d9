import type { Case, Invariant, RuleCase, ScenarioCase } from "../case/case.ts";
import { type Instance, isInvariant, isRunnable, planInstances } from "../case/plan.ts";
import type { CaseResult } from "../case/result.ts";
import { createFilter } from "../case/selection.ts";
import { UsageError } from "../target/load.ts";
import type { TargetSettings } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";
import { createRun, type Run } from "./run.ts";

/** What a session asks of its target. */
export interface SessionOptions {
  readonly cases: readonly Case[];
  /** Case ids, `*` stands for anything; default all. */
  readonly only?: readonly string[];
  /** Services, with or without their package; default all. */
  readonly services?: readonly string[];
  /** The seed of everything generated; default a new one. */
  readonly seed?: number;
  /** Runs per property; default 20. */
  readonly runs?: number;
  /** How a result says it is replayed; default `hallmark run`. */
  readonly command?: string;
}

/** A run opened for a test runner, which puts its instances one by one. */
export interface Session {
  readonly run: Run;
  /** What is asked of the target, by `runCase`: in any order, and at once as the runner likes. */
  readonly asked: readonly Instance<ScenarioCase | RuleCase>[];
  /** What is concluded, by `concludeStanding`, from all that was exchanged: once `run.close` is through. */
  readonly standing: readonly Instance<Invariant>[];
  /** How long a case may take, in milliseconds: its test has to wait longer. */
  readonly caseMs: number;
}

/**
 * Opens a run for a test runner of one's own. Nothing is sent yet.
 * @throws UsageError where the target has no base URL, a filter matches nothing, or the filters leave nothing to run
 */
export function openSession(settings: TargetSettings, options: SessionOptions): Session {
  const { cases, only = [], services = [], seed = Math.trunc(Math.random() * 2 ** 31), runs = 20, command } = options;
  const target = createTarget(settings);
  const instances = planInstances(cases, target.packages).filter(createFilter({ only, services }, cases));
  if (instances.length === 0) {
    throw new UsageError("The filters leave no case to run; no selected case is about a selected service.");
  }
  const standing = instances.filter(isInvariant);
  const rules = [...new Set(standing.map((instance) => instance.case))];
  const run = createRun(target, { seed, runs, invariants: rules, ...(command === undefined ? {} : { command }) });
  return { run, asked: instances.filter(isRunnable), standing, caseMs: run.caseMs };
}

/** How a test of an instance is called: `version/stale-is-refused · alpha.v1.SecretService/RotateSecret`. */
export function titleOf({ case: one, row }: Instance): string {
  return `${one.id} · ${row.name}`;
}

/** Why a result is not green, in full, and how it is replayed. */
function reasonOf({ outcome, reason, findings, replay }: CaseResult): string {
  const told = findings.map(
    ({ rpc, rule, level, clause, expected, actual }) =>
      `${rpc}: ${rule}\n  clause   ${level} · ${clause}\n  expected ${expected}\n  actual   ${actual}`,
  );
  return [outcome, ...(reason === undefined ? [] : [reason]), ...told, `replay: ${replay}`].join("\n");
}

/**
 * Fails the test of a case that did not hold. What was not exercised proved nothing and is no exception: a runner that
 * can skip a test skips it before, for `result.reason`.
 * @throws Error with the clause broken, what was expected, what came, and the command that repeats it
 */
export function assertHeld(result: CaseResult): void {
  if (result.outcome !== "held") throw new Error(reasonOf(result));
}
