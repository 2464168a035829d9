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

/** True where a repetition shows one of the breaches that made the case red. */
function isAgain(first: CaseResult, again: CaseResult): boolean {
  const known = new Set(first.findings.map(breachOf).filter((breach) => breach !== ""));
  return again.outcome === "violated" && again.findings.some((finding) => known.has(breachOf(finding)));
}

function classOf(times: number, of: number): Triage {
  if (times === 0) return "unreproduced";
  return times === of ? "deterministic" : "racy";
}

/** Repetitions under way at once: those of one case follow one another. */
const width = 4;

/** The breach that a report begins with: what the others likeliest come of. */
function rootOf(red: readonly RanResult[]): string | undefined {
  const found = red.flatMap(({ result }) =>
    result.findings.map((finding) => ({ finding, by: `${result.id} ${result.rpc}` })),
  );
  const root = rootCauseOf(found);
  return root === undefined ? undefined : breachOf(root.finding);
}

/**
 * What is red in the order in which repeating it tells most: the breach that a report begins with, then one of each
 * distinct breach before another of the same, each by the case that took least.
 */
export function mostTellingFirst(red: readonly RanResult[]): readonly RanResult[] {
  const quickest = red.toSorted((a, b) => a.result.durationMs - b.result.durationMs);
  // Of two that say as much the quicker one: only then is the order of time kept among equals.
  const root = rootOf(quickest);
  const showsRoot = quickest.find(({ result }) => result.findings.some((finding) => breachOf(finding) === root));
  const known = new Set<string>();
  const [first, others]: [RanResult[], RanResult[]] = [[], []];
  for (const one of showsRoot === undefined
    ? quickest
    : [showsRoot, ...quickest.filter((each) => each !== showsRoot)]) {
    const breaches = one.result.findings.map(breachOf).filter((breach) => breach !== "" && !known.has(breach));
    for (const breach of breaches) known.add(breach);
    (breaches.length > 0 ? first : others).push(one);
  }
  return [...first, ...others];
}

/**
 * Repeats red cases, a few at a time once nothing else runs, each three times, the most telling first. All repetitions of
 * a case together take no longer than patience.caseMs and the last of them. The class is added to what is known of a case;
 * what was red stays red, however often it does not show again; what there was no time to repeat is said to be so.
 *
 * @param ran what the run came to; what is not violated is passed over
 * @param withinMs how long repeating may take in all, and the last repetitions
 */
export async function triageRed(
  run: Run,
  ran: readonly RanResult[],
  repeat: Repeat,
  withinMs: number,
): Promise<Triaged> {
  const end = performance.now() + withinMs;
  const { caseMs } = run.target.settings.patience;
  const red = mostTellingFirst(ran.filter((one) => one.result.outcome === "violated"));
  const classes = new Map<RanResult, Triage>(red.map((one) => [one, "not-repeated"]));
  const leftovers: string[] = [];
  let exchanges = 0;
  const queue = red.slice(0, maxRepeated);

  async function repeatEach(): Promise<void> {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const until = Math.min(end, performance.now() + caseMs);
      let [made, again] = [0, 0];
      while (made < repetitions && performance.now() < until && run.health.givenUp === undefined) {
        const repetition = await repeat(one.instance, run.wire.count + exchanges);
        if (isAgain(one.result, repetition.result)) again += 1;
        made += 1;
        leftovers.push(...repetition.leftovers);
        exchanges += repetition.exchanges;
      }
      if (made > 0) classes.set(one, classOf(again, made));
    }
  }

  // Requests that are counted to the last one are sent one repetition at a time.
  const workers = run.order.limits.maxRequests === undefined ? width : 1;
  await Promise.all(Array.from({ length: workers }, repeatEach));
  const named = [...classes].map(
    ([
      {
        result: { id, rpc },
      },
      triage,
    ]) => ({ id, rpc, triage }),
  );
  return { classes: named, leftovers, exchanges };
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
