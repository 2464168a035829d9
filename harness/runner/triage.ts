import type { Instance } from "../case/plan.ts";
import type { CaseResult, Finding, RunTriage, Triage } from "../case/result.ts";
import { rootCauseOf } from "../case/root-cause.ts";
import { type Repeatable, wholeCommand } from "./replay.ts";
import type { Run } from "./run.ts";

/** A case that was run, or an invariant, and what it came to. */
export interface RanResult {
  readonly instance: Instance;
  readonly result: CaseResult;
}

/** One repetition of a case, in a run of its own. */
export interface Repetition {
  readonly result: CaseResult;
  /** What it made and could not undo. */
  readonly leftovers: readonly string[];
  /** Requests it sent. */
  readonly exchanges: number;
}

/** Repeats a case with the seed of its run; `sent` requests were sent before it, by the run and its repetitions. */
export type Repeat = (instance: Instance, sent: number) => Promise<Repetition>;

/** What repeating came to. */
export interface Triaged {
  /** One entry for each case that was repeated. */
  readonly classes: RunTriage;
  /** What the repetitions made and could not undo. */
  readonly leftovers: readonly string[];
  /** Requests the repetitions sent. */
  readonly exchanges: number;
}

/** Red cases that are repeated at most: where there are more, their number is not chance's. */
const maxRepeated = 20;
/** How often each is repeated. */
const repetitions = 3;

/** What was broken, without how it showed: a race words its findings in many ways. */
function breachOf({ clause, rpc, level }: Finding): string {
  return level === "should" ? "" : `${clause} ${rpc}`;
}

/** Those that are red, first what the others likeliest come of: it is what a report begins with. */
function redOf(ran: readonly RanResult[]): readonly RanResult[] {
  const red = ran.filter(({ result }) => result.outcome === "violated");
  const blames = red.flatMap((one) =>
    one.result.findings.map((finding) => ({ finding, by: `${one.result.id} ${one.result.rpc}`, one })),
  );
  const first = rootCauseOf(blames)?.one;
  return first === undefined ? red : [first, ...red.filter((one) => one !== first)];
}

/** True where a repetition shows one of the breaches that made the case red. */
function isAgain(first: CaseResult, again: CaseResult): boolean {
  const known = new Set(first.findings.map(breachOf).filter((breach) => breach !== ""));
  return again.outcome === "violated" && again.findings.some((finding) => known.has(breachOf(finding)));
}

function classOf(times: number, of: number): Triage {
  if (times === 0) return "unreproduced";
  return times === of ? "deterministic" : "racy";
}

/**
 * Repeats red cases, one at a time once nothing else runs, each three times. All repetitions of a case together take no
 * longer than patience.caseMs and the last of them. The class is added to what is known of a case; what was red stays
 * red, however often it does not show again; what there was no time to repeat has no class.
 *
 * @param ran what the run came to; what is not violated are passed over
 * @param withinMs how long repeating may take in all, and the last repetition
 */
export async function triageRed(
  run: Run,
  ran: readonly RanResult[],
  repeat: Repeat,
  withinMs: number,
): Promise<Triaged> {
  const end = performance.now() + withinMs;
  const { caseMs } = run.target.settings.patience;
  const classes: RunTriage[number][] = [];
  const leftovers: string[] = [];
  let exchanges = 0;
  for (const { instance, result } of redOf(ran).slice(0, maxRepeated)) {
    const until = Math.min(end, performance.now() + caseMs);
    let [made, again] = [0, 0];
    while (made < repetitions && performance.now() < until && run.health.givenUp === undefined) {
      const repetition = await repeat(instance, run.wire.count + exchanges);
      if (isAgain(result, repetition.result)) again += 1;
      made += 1;
      leftovers.push(...repetition.leftovers);
      exchanges += repetition.exchanges;
    }
    if (made > 0) classes.push({ id: result.id, rpc: result.rpc, triage: classOf(again, made) });
  }
  return { classes, leftovers, exchanges };
}

/**
 * The results with the class of those that were repeated. No command is left with a result that was seen not to show it:
 * what is not red again alone is repeated with the whole run.
 */
export function withTriage(
  results: readonly CaseResult[],
  classes: RunTriage,
  order: Repeatable,
): readonly CaseResult[] {
  const known = new Map(classes.map(({ id, rpc, triage }) => [`${id} ${rpc}`, triage]));
  return results.map((result) => {
    const triage = known.get(`${result.id} ${result.rpc}`);
    if (triage === undefined) return result;
    return { ...result, triage, ...(triage === "unreproduced" ? { replay: wholeCommand(order) } : {}) };
  });
}
