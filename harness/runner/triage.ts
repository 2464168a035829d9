import type { RuleCase, ScenarioCase } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, Finding, RunTriage, Triage } from "../case/result.ts";
import { createRun, type Run } from "./run.ts";
import { runCase } from "./run-case.ts";

/** A case that was asked, and what it came to. */
export interface Asked {
  readonly instance: Instance<ScenarioCase | RuleCase>;
  readonly result: CaseResult;
}

/** What repeating came to. */
export interface Triaged {
  /** One entry for each case that was repeated. */
  readonly classes: RunTriage;
  /** What the repeats made and could not undo. */
  readonly leftovers: readonly string[];
  /** Requests the repeats sent. */
  readonly exchanges: number;
}

/** Red cases that are repeated at most: where there are more, their number is not chance's. */
const maxRepeated = 20;
/** How often each is repeated. */
const repeats = 3;

/** What was broken, without how it showed: a race words its findings in many ways. */
function breachOf({ clause, rpc, level }: Finding): string {
  return level === "should" ? "" : `${clause} ${rpc}`;
}

/** True where a repeat shows one of the breaches that made the case red. */
function isAgain(first: CaseResult, again: CaseResult): boolean {
  const known = new Set(first.findings.map(breachOf).filter((breach) => breach !== ""));
  return again.outcome === "violated" && again.findings.some((finding) => known.has(breachOf(finding)));
}

function classOf(times: number, of: number): Triage {
  if (times === 0) return "unreproduced";
  return times === of ? "deterministic" : "racy";
}

/** The options of a run that repeats a case of `run`: its seed and values, none of its invariants and records. */
function optionsFor({ options }: Run, sent: number) {
  const { observer: _watcher, onInvariantFinding: _told, limits, ...rest } = options;
  const most = limits?.maxRequests;
  const left = most === undefined ? {} : { maxRequests: Math.max(0, most - sent) };
  return { ...rest, invariants: [], ...(limits === undefined ? {} : { limits: { ...limits, ...left } }) };
}

/**
 * Repeats red cases, one at a time once nothing else runs, each three times with the same seed in a run of its own: what
 * it works with is made anew. All repeats of a case together take no longer than patience.caseMs and the last of them.
 * The class is added to what is known of a case; what was red stays red, however often it does not show again.
 *
 * @param asked what the run came to; cases that are not violated are passed over
 */
export async function triageRed(run: Run, asked: readonly Asked[]): Promise<Triaged> {
  const { caseMs } = run.target.settings.patience;
  const classes: RunTriage[number][] = [];
  const leftovers: string[] = [];
  let exchanges = 0;
  for (const { instance, result } of asked.filter((one) => one.result.outcome === "violated").slice(0, maxRepeated)) {
    const until = performance.now() + caseMs;
    let [made, again] = [0, 0];
    while (made < repeats && performance.now() < until && run.health.givenUp === undefined) {
      const fresh = createRun(run.target, optionsFor(run, run.wire.count + exchanges));
      if (isAgain(result, await runCase(instance, fresh))) again += 1;
      made += 1;
      await fresh.close();
      leftovers.push(...fresh.leftovers);
      exchanges += fresh.wire.count;
    }
    if (made > 0) classes.push({ id: result.id, rpc: result.rpc, triage: classOf(again, made) });
  }
  return { classes, leftovers, exchanges };
}

/** The results with the class of those that were repeated. */
export function withTriage(results: readonly CaseResult[], classes: RunTriage): readonly CaseResult[] {
  const known = new Map(classes.map(({ id, rpc, triage }) => [`${id} ${rpc}`, triage]));
  return results.map((result) => {
    const triage = known.get(`${result.id} ${result.rpc}`);
    return triage === undefined ? result : { ...result, triage };
  });
}
