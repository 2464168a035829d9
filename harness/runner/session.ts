import { gates } from "../../proto/clauses/index.ts";
import type { PackageName } from "../../proto/rpcs.ts";
import type { Case, Invariant, RuleCase, ScenarioCase } from "../case/case.ts";
import type { RunObserver } from "../case/observer.ts";
import type { RunOrder } from "../case/order.ts";
import { type Instance, instancesNamed, isInvariant } from "../case/plan.ts";
import type { CaseResult, Finding, RunSummary, RunTriage } from "../case/result.ts";
import { Unproven } from "../case/unproven.ts";
import { redactData } from "../output/redact.ts";
import { createTarget } from "../target/target.ts";
import { sleep } from "../wire/sleep.ts";
import { createBudget } from "./budget.ts";
import { concludeInvariant } from "./conclude.ts";
import { createPhases } from "./phases.ts";
import { makersToRepeat } from "./replay.ts";
import { createRun, type Run, type RunOptions } from "./run.ts";
import { type Put, runCase } from "./run-case.ts";
import { createSeats } from "./seats.ts";
import { placeCases } from "./telling.ts";
import { type RanResult, type Repeat, triageRed } from "./triage.ts";
import { oneOfEach } from "./undo.ts";

/** What a session is told beside its order. */
export interface SessionOptions extends Omit<RunOptions, "invariants"> {
  /** Gives the run up at the first finding like this: what is under way ends, and nothing is concluded. */
  readonly failFast?: (finding: Finding) => boolean;
  /** Cases under way at once; default as many as are put. */
  readonly concurrency?: number;
  /** Lets some more be under way while they wait for the target, or for time to pass. Default: does not. */
  readonly adaptive?: boolean;
}

/**
 * THE run: whoever runs cases, be it vitest, a test runner of a user's own, the command line or the proof, drives one of
 * these. First every case of `runnable`, in any order and many at once (a case waits until its phase is on); then `triage`, if red cases are to be repeated;
 * then `close`; then `conclude` for every invariant; then `end`.
 */
export interface Session {
  readonly order: RunOrder;
  readonly run: Run;
  /** The cases that are put to the target: phase by phase, in each those that tell most first. */
  readonly runnable: readonly Instance<ScenarioCase | RuleCase>[];
  /** What is concluded from all that was exchanged. */
  readonly invariants: readonly Instance<Invariant>[];
  /** How long a case may take, in milliseconds, with its wait for its phase: its test has to wait longer. */
  readonly caseMs: number;
  /** How long whoever runs a case waits for it at most, in milliseconds: one that takes longer is not bounded as it should be. */
  readonly waitMs: number;
  /** Puts one case of `runnable` to the target. A defect of the case is the outcome `error`. */
  runCase(instance: Instance<ScenarioCase | RuleCase>): Promise<CaseResult>;
  /** Repeats red cases, now that no other case is under way. What was red stays red. */
  triage(): Promise<RunTriage>;
  /** Undoes what the cases made, and closes every connection. */
  close(): Promise<RunSummary>;
  /** What an invariant came to, once the run is closed. */
  conclude(instance: Instance<Invariant>): CaseResult;
  /** Tells the observers that the run is over. */
  end(): void;
  /** Ends the run early: cases under way come to their end, no further one is put, and what was made is undone. */
  interrupt(): void;
}

/** How long histories go on in a repetition of a red case, at most. */
const maxRepeatedMs = 15_000;

/** Cases under way take longer than their own time where the last reply comes late, in milliseconds. */
const sparedMs = 10_000;

/** Timers hold no more than 24 days of milliseconds; a day below, for whoever adds some. */
const maxTestMs = 2 ** 31 - 86_400_000;

/** The instance as one that is not put any more: unproven, with a sentence of its own. */
function notPut<C extends ScenarioCase | RuleCase>(instance: Instance<C>, why: string): Instance<C> {
  return { ...instance, case: { ...instance.case, run: () => Promise.reject(new Unproven(why)) } };
}

/**
 * Waits for the calls under way that may issue a credential: what was answered so far may hold it already. Not longer than
 * a reply may take, as what is issued later was not known to anybody before.
 */
async function issuedSoFar({ issuing, target }: Run): Promise<void> {
  if (issuing.size === 0) return;
  const settled = new AbortController();
  void Promise.allSettled([...issuing]).then(() => settled.abort());
  await sleep(target.limits.replyMs, settled.signal);
}

/** What a repetition sends and is given out may come back where the run goes on, and is kept out of what that writes. */
function concealingIn({ secrets }: Run): RunObserver {
  return {
    onSecret(value, label, kind) {
      // Secrets' values are many, and no part of one opens anything.
      if (kind === "secret value") secrets.register(value, label, kind);
      else secrets.conceal(value, label);
    },
    onConceal: (value, label) => secrets.conceal(value, label),
  };
}

/** What a run knows of its target, for those that repeat a part of it. */
function knownIn({ health, circuits, lateMoves, issuing }: Run) {
  return { health, circuits, lateMoves, issuing };
}

/**
 * Puts a case, and once again where it found the target full: what others had taken is free by then. What it came to is told once
 * the credentials are known that it had issued.
 *
 * @param put puts it at the end of its phase's queue, after what it came to before
 */
async function putUntilRoom(run: Run, put: (before?: Put) => Promise<Put>): Promise<CaseResult> {
  const first = await put();
  const { result } = first.foundFull ? await put(first) : first;
  await issuedSoFar(run);
  return result;
}

/**
 * Opens the session of an order. Nothing is sent yet.
 *
 * @param cases all cases there are: the order names some of them
 */
export function openSession(order: RunOrder, cases: readonly Case[], options: SessionOptions = {}): Session {
  const { failFast = () => false, concurrency, adaptive = false, observers = [], ...rest } = options;
  const instances = instancesNamed(order.planned, cases);
  const invariants = instances.filter(isInvariant);
  const giveUpAt = (findings: readonly Finding[]) => {
    if (findings.some(failFast)) run.abandon();
    if (order.failFast && findings.some(({ level }) => gates(level, order.strict))) {
      stop ??= "the run ended at its first breach, before this case was put";
    }
  };
  const run = createRun(createTarget(order.target), order, {
    ...rest,
    invariants: [...new Set(invariants.map((instance) => instance.case))],
    observers: [...observers, { onInvariantFinding: ({ finding }) => giveUpAt([finding]) }],
  });
  const ran: RanResult[] = [];
  const { budgetMs = 0 } = order;
  const factor = (run.caseMs - budgetMs) / run.target.settings.patience.caseMs;
  const budget = createBudget(order.target, instances.length, factor, budgetMs);
  const caseMs = Math.min(run.caseMs + budget.totalMs, maxTestMs);
  const seats = createSeats(concurrency ?? Number.POSITIVE_INFINITY, adaptive ? () => run.wire.isFree : undefined);
  const phasesOf = (name: PackageName) =>
    createPhases(() => run.phase.end(name), run.crowd, seats, order.target.limits.endpoints);
  const phases = { "alpha.v1": phasesOf("alpha.v1"), "beta.v1": phasesOf("beta.v1") };
  const { runnable, phaseOf } = placeCases(instances);
  /** Why no further case is put; undefined while there is none. */
  let stop: string | undefined;
  let classes: RunTriage = [];
  let summary: RunSummary | undefined;

  /** From here a result goes out of the run: nothing a target said may bring a credential with it. */
  function enter(made: CaseResult): CaseResult {
    const result = redactData(made, run.secrets);
    for (const { onResult } of observers) onResult?.(result);
    giveUpAt(result.findings);
    return result;
  }

  /**
   * A repetition has the run's seed and values, and none of its records and few of its observers; of its invariants the one it is of,
   * which the cases are repeated for that broke it.
   */
  const repeat: Repeat = async (instance, sent) => {
    const { maxRequests, ...limits } = order.limits;
    const left = maxRequests === undefined ? {} : { maxRequests: Math.max(0, maxRequests - sent) };
    const own = { id: instance.case.id, rpc: instance.row.name };
    const makers = isInvariant(instance) ? makersOf(instance) : [];
    // Histories that do not come to the breach again are not gone on with as long as the run did.
    const budgeted = order.budgetMs === undefined ? {} : { budgetMs: Math.min(order.budgetMs, maxRepeatedMs) };
    const asked = { ...order, ...budgeted, planned: [own, ...makers], limits: { ...limits, ...left } };
    const again = openSession(asked, cases, {
      ...(options.skipCleanup === undefined ? {} : { skipCleanup: options.skipCleanup }),
      observers: [concealingIn(run), ...observers.filter(({ repetitionsToo }) => repetitionsToo === true)],
      ...knownIn(run),
    });
    const results = [];
    for (const one of again.runnable) results.push(await again.runCase(one));
    const { leftovers, exchanges } = await again.close();
    const [result] = isInvariant(instance) ? again.invariants.map((one) => again.conclude(one)) : results;
    if (result === undefined) throw new Error(`${own.id} is no case that can be repeated`);
    return { result, leftovers, exchanges };
  };
  const makersOf = ({ case: { id }, row }: Instance<Invariant>) =>
    makersToRepeat(run.invariants.record(id, row).brokenBy);

  /** Invariants that are broken so far, by cases that can be run again. */
  const broken = (): readonly RanResult[] =>
    invariants
      .filter((instance) => makersOf(instance).length > 0)
      .map((instance) => ({ instance, result: concludeInvariant(instance, run) }));

  return {
    order,
    run,
    runnable,
    invariants,
    caseMs,
    waitMs: caseMs + run.target.limits.replyMs + sparedMs,
    async runCase(instance) {
      const result = await putUntilRoom(run, (before) =>
        phases[instance.row.package].run(phaseOf(instance), async () => {
          const stopped = stop ?? budget.exceeded;
          if (budget.exceeded !== undefined) run.undoWithin(budget.undoMs());
          if (stopped !== undefined) return before ?? runCase(notPut(instance, stopped), run);
          return runCase(instance, run, budget.leftMs, before ? 1 : 0);
        }),
      );
      const entered = enter(result);
      ran.push({ instance, result: entered });
      return entered;
    },
    async triage() {
      const triaged = await triageRed(run, stop !== undefined ? [] : [...ran, ...broken()], repeat, budget.triageMs());
      run.leftovers.push(...triaged.leftovers);
      classes = triaged.classes;
      return classes;
    },
    async close() {
      run.undoWithin(budget.undoMs());
      await run.close();
      const made: RunSummary = {
        observations: [...run.observations, ...run.invariants.observations],
        leftovers: oneOfEach(run.leftovers),
        exchanges: run.wire.count,
        usage: run.used,
      };
      summary = redactData(made, run.secrets);
      return summary;
    },
    conclude: (instance) => enter(concludeInvariant(instance, run)),
    end() {
      // A run that was never closed did not come to its end, and nobody is told that it did.
      if (summary === undefined) return;
      for (const { onEnd } of observers) onEnd?.({ summary, triage: classes, interrupted: stop !== undefined });
    },
    interrupt() {
      stop ??= "the run was interrupted before this case was put";
    },
  };
}
