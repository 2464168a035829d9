import fc from "fast-check";
import { type Captured, captureValues, readOnce } from "./capture.ts";
import { type Evaluation, evaluateUntilFailure, type Outcome } from "./first-failure.ts";
import { replay } from "./replay.ts";

/** How many values `fc.pre` may reject per run, as in fast-check. */
const skipsPerRun = 100;

export interface PropertyOptions {
  readonly seed: number;
  /** Replays this counterexample alone, the stock way: one evaluation, no search, no shrinking. */
  readonly path?: string;
  /** How many values must be evaluated (skipped ones not counted), from 1. */
  readonly runs: number;
  /** Evaluations in flight while searching. Default 16. */
  readonly window?: number;
  /** Evaluations in flight while shrinking. Default 4: a wider one spends calls on candidates that do not count. */
  readonly shrinkWindow?: number;
  /** Ends the search, or the shrinking, at once. */
  readonly signal?: AbortSignal;
  /** Candidates a sequential shrink may try before it settles for what it has. Default 1000. */
  readonly maxShrinks?: number;
  /** Whether another candidate may be tried, asked before each while shrinking; once it says no, the smallest so far stays. */
  readonly mayShrink?: () => boolean;
}

/** How to replay a counterexample that seed and path alone do not reproduce. (Values made by `fc.gen` cannot be replayed.) */
export interface ReplayOptions<T> {
  /** `fc.commands` needs the `replayPath` that its counterexample prints. Default: the property's own arbitrary. */
  readonly replayWith?: (counterexample: T) => fc.Arbitrary<T>;
}

export type PropertyVerdict<T> =
  | { readonly failed: false; readonly runs: number }
  | {
      readonly failed: true;
      readonly counterexample: T;
      readonly error: unknown;
      readonly seed: number;
      /** `i:j:k`: the same that a sequential stock run ends with; `fc.check(…, { seed, path, endOnFailure: true })` replays it. */
      readonly path: string;
      /** Values evaluated up to and with the first failure, as fast-check counts them. */
      readonly runs: number;
      readonly shrinks: number;
      /** Shrinking was cut short: by `mayShrink`, `maxShrinks`, or the signal. There may be a smaller counterexample. */
      readonly cut: boolean;
      /** The stock replay of seed and path failed again. */
      readonly confirmed: boolean;
    };

/**
 * Checks an asynchronous property on several values at a time, with the result of a sequential `fc.check` of the same
 * seed: the first failing value wins, and at each level of the shrink tree the first failing candidate, however late its
 * evaluation ends. The predicate fails by rejecting and must bound its own waits; several calls of it run at once, so each
 * needs resources of its own.
 *
 * Rejects when the signal aborts before a failure is known (with the signal's reason; afterwards it gives that failure,
 * unconfirmed), when `fc.pre` rejects more than 100 values per run, and on windows or run counts below 1.
 */
export async function checkProperty<T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  options: PropertyOptions & ReplayOptions<NoInfer<T>>,
): Promise<PropertyVerdict<T>> {
  const { seed, runs, window = 16, shrinkWindow = 4, maxShrinks = 1000, mayShrink = () => true, signal } = options;
  requireCount("runs", runs, 1);
  requireCount("window", window, 1);
  requireCount("shrinkWindow", shrinkWindow, 1);
  requireCount("maxShrinks", maxShrinks, 0);
  signal?.throwIfAborted();
  if (options.path) return replayed(arbitrary, predicate, seed, options.path, signal);

  const property = fc.asyncProperty(arbitrary, predicate);
  const evaluate = (captured: Captured<T>) => outcomeOf(property, captured.input);

  const search = await evaluateUntilFailure({
    next: valuesOf(property, seed, runs, window),
    evaluate,
    width: window,
    signal,
  });
  const first = judgeSearch(search, runs);
  if (!first.failed) {
    signal?.throwIfAborted();
    return first;
  }

  const path = [first.index];
  let best: Failed<T> = first.failure;
  let isCut = false;
  const mayGoOn = () => {
    isCut ||= !mayShrink();
    return !isCut;
  };
  let budget = maxShrinks;
  while (budget > 0 && !signal?.aborted && !isCut) {
    const next = candidatesOf(property, best.item, budget, mayGoOn);
    const level = await evaluateUntilFailure({ next, evaluate, width: shrinkWindow, signal });
    const index = level.findIndex(hasFailed);
    const smaller = level[index];
    if (smaller === undefined || !hasFailed(smaller)) break;
    path.push(index);
    best = smaller;
    budget -= index + 1;
  }

  const counterexample = best.item.input[0];
  const failure = { failed: true, counterexample, error: best.outcome.error, seed, path: path.join(":") } as const;
  const replayable = options.replayWith?.(counterexample) ?? arbitrary;
  // A path that no longer leads to a value (impure generation) leaves the failure unconfirmed.
  const replayedFailure = await replay(replayable, predicate, seed, failure.path, signal).catch(() => undefined);
  return {
    ...failure,
    runs: first.runs,
    shrinks: path.length - 1,
    cut: isCut || budget <= 0 || signal?.aborted === true,
    confirmed: replayedFailure !== undefined,
  };
}

type Failed<T> = Evaluation<Captured<T>> & { readonly outcome: Outcome & { readonly kind: "failed" } };

function hasFailed<T>(evaluation: Evaluation<Captured<T>>): evaluation is Failed<T> {
  return evaluation.outcome?.kind === "failed";
}

async function outcomeOf<T>(property: fc.IAsyncProperty<[T]>, input: [T]): Promise<Outcome> {
  const result = await property.run(input);
  if (result === null) return { kind: "passed" };
  if (fc.PreconditionFailure.isFailure(result)) return { kind: "skipped" };
  return { kind: "failed", error: result.error };
}

/** Hands out values in order: `runs` of them, and one more for each that was skipped. */
function valuesOf<T>(property: fc.IAsyncProperty<[T]>, seed: number, runs: number, chunk: number) {
  const values: Captured<T>[] = [];
  let issued = 0;
  return (skipped: number): Captured<T> | undefined => {
    if (skipped > runs * skipsPerRun || issued - skipped >= runs) return undefined;
    if (issued === values.length) {
      // Doubling keeps fast-check's jumps to the start of each chunk from adding up.
      const count = Math.min(Math.max(chunk, issued), runs - (issued - skipped));
      values.push(...captureValues(property, seed, issued, count));
    }
    return values[issued++];
  };
}

/** Hands out the shrunk forms of a value in fast-check's order, at most `limit` of them and while more may be tried. */
function candidatesOf<T>(property: fc.IAsyncProperty<[T]>, failed: Captured<T>, limit: number, mayGoOn: () => boolean) {
  const candidates = property.shrink(failed.source);
  let issued = 0;
  return (): Captured<T> | undefined => {
    if (issued === limit || !mayGoOn()) return undefined;
    const candidate = candidates.next();
    if (candidate.done) return undefined;
    issued += 1;
    return readOnce(candidate.value);
  };
}

/** Reads the outcomes in the order a sequential run would have seen them. */
function judgeSearch<T>(
  search: readonly Evaluation<Captured<T>>[],
  runs: number,
): { failed: false; runs: number } | { failed: true; index: number; runs: number; failure: Failed<T> } {
  let skipped = 0;
  for (const [index, evaluation] of search.entries()) {
    if (hasFailed(evaluation)) return { failed: true, index, runs: index + 1 - skipped, failure: evaluation };
    if (evaluation.outcome?.kind === "skipped") skipped += 1;
    if (skipped > runs * skipsPerRun) {
      throw new Error(`the property rejected ${skipped} of ${index + 1} values: its precondition is too rare to test`);
    }
  }
  return { failed: false, runs: search.length - skipped };
}

async function replayed<T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  seed: number,
  path: string,
  signal: AbortSignal | undefined,
): Promise<PropertyVerdict<T>> {
  const failure = await replay(arbitrary, predicate, seed, path, signal);
  signal?.throwIfAborted();
  if (failure === undefined) return { failed: false, runs: 1 };
  const shrinks = path.split(":").length - 1;
  return { failed: true, ...failure, seed, path, runs: 1, shrinks, cut: false, confirmed: true };
}

function requireCount(name: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min) {
    throw new RangeError(`${name} must be an integer of ${min} or more, not ${value}`);
  }
}
