import fc from "fast-check";
import type { CaseContext } from "../case/context.ts";
import { checkProperty } from "../generate/window.ts";
import { kept } from "./hang-up.ts";
import { explained } from "./misshapen.ts";
import type { CaseTrace } from "./trace.ts";
import { endOf } from "./undo.ts";

/** What a property works with, beside its values. */
export interface PropertyWork {
  /** Values to evaluate, from 1. */
  readonly runs: number;
  readonly seed: number;
  /** Ends the property: its case's own. */
  readonly signal: AbortSignal;
  /** The trace of the case, which takes over what comes of the values. */
  readonly trace: CaseTrace;
  /** Opens the context of a value, by its number from 0. */
  open(number: number): { readonly context: CaseContext; readonly trace: CaseTrace };
  /** Undoes what the value of a number made, behind the case. */
  undo(trace: CaseTrace, number: number): void;
  /** Throws Unproven once the case has no more time. */
  checkAlive(): void;
}

/** What looking for a smaller counterexample may take: requests of the values tried, and milliseconds. */
const maxShrinking = { requests: 1500, ms: 10_000 };

/** Whether more may be spent on a smaller counterexample, counted from when it is first asked. */
export function createShrinkBudget(sent: () => number, now = () => performance.now()): () => boolean {
  let start: { readonly sent: number; readonly at: number } | undefined;
  return () => {
    start ??= { sent: sent(), at: now() };
    return sent() - start.sent < maxShrinking.requests && now() - start.at < maxShrinking.ms;
  };
}

/** A generated value under which a judgement failed. */
class Counterexample extends Error {
  readonly trace: CaseTrace;
  constructor(trace: CaseTrace) {
    super(trace.findings[0]?.actual);
    this.trace = trace;
  }
}

/**
 * Checks a property of a case over generated values, each in a context of its own. The findings of the smallest value
 * that has any become the case's, with the seed and the path that bring it back.
 *
 * @throws Unproven where a precondition was missing; what the predicate throws otherwise
 */
export async function checkOver<T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T, context: CaseContext) => Promise<void>,
  work: PropertyWork,
): Promise<void> {
  const { trace, signal, runs } = work;
  let stopped: unknown;
  let evaluated = 0;
  let sent = 0;
  const evaluate = async (value: T) => {
    if (stopped !== undefined) return;
    const number = evaluated++;
    const inner = work.open(number);
    try {
      await predicate(value, inner.context);
    } catch (error) {
      if (fc.PreconditionFailure.isFailure(error)) throw error;
      // A missing precondition is no counterexample: it ends the property, unproven.
      stopped = explained(error, inner.trace.exchanges);
    } finally {
      sent += inner.trace.exchanges.length;
      trace.checks += inner.trace.checks;
      trace.served ||= inner.trace.served;
      trace.full ||= inner.trace.full;
      // What nothing was found for is undone at once: a thousand values leave no more behind than a few, neither to
      // be listed by the target nor to be held here. What was found is still to be looked at.
      if (inner.trace.findings.length === 0) work.undo(inner.trace, number);
      else {
        await endOf(inner.trace);
        trace.undo.push(...inner.trace.undo);
      }
    }
    if (inner.trace.findings.length > 0) throw new Counterexample(inner.trace);
  };
  const verdict = await checkProperty(
    arbitrary,
    // The case waits for it before it undoes anything: the property may end while others of its values are under way.
    (value) => kept(trace.pending, evaluate(value)),
    { seed: work.seed, runs, signal, mayShrink: createShrinkBudget(() => sent) },
  ).catch((error: unknown) => {
    // That there was no time for all values is no defect of the case.
    work.checkAlive();
    throw error;
  });
  if (!verdict.failed) {
    if (stopped !== undefined) throw stopped;
    return;
  }
  const { error, counterexample, seed, path, cut, confirmed } = verdict;
  if (!(error instanceof Counterexample)) throw error;
  const offset = trace.exchanges.length;
  trace.exchanges.push(...error.trace.exchanges.map((exchange) => ({ ...exchange, number: exchange.number + offset })));
  // That a drawn record has no prototype is nothing that a reader asks for.
  const shown = fc.stringify(counterexample).replaceAll("__proto__:null,", "");
  const value = shown.length > 400 ? `${shown.slice(0, 400)}…` : shown;
  const again = confirmed ? "" : ", did not fail again on replay";
  const smallest = cut ? ", the smallest found so far" : "";
  for (const finding of error.trace.findings) {
    trace.findings.push({
      ...finding,
      actual: `${finding.actual}; for ${value} (seed ${seed}, path ${path}${smallest}${again})`,
      exchanges: finding.exchanges.map((number) => number + offset),
    });
  }
}
