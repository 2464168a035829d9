/** The outcome of one evaluation. */
export type Outcome =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped" }
  | { readonly kind: "failed"; readonly error: unknown };

/** An item with its outcome; undefined where the search was aborted before the evaluation settled. */
export interface Evaluation<Item> {
  readonly item: Item;
  readonly outcome: Outcome | undefined;
}

/** Items to evaluate several at a time, with the result of evaluating them one after another. */
export interface Window<Item> {
  /**
   * The next item in order, or undefined when there is none for now; called again each time an evaluation settles.
   * `skipped`: how many evaluations were skipped so far, so that a source can replace them.
   */
  readonly next: (skipped: number) => Item | undefined;
  /** Never rejects: a failure is an outcome. */
  readonly evaluate: (item: Item) => Promise<Outcome>;
  /** How many evaluations may be in flight, from 1. */
  readonly width: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Evaluates items until one fails or none is left, at most `width` at a time, and returns them in the order of `next`.
 * Once a failure is known nothing more is started, and what is in flight is awaited: every item before the first failing
 * one has its outcome, and nothing outlives the call. An abort returns at once with what has settled; failures that
 * arrive later may be caused by the abort and are not kept.
 */
export async function evaluateUntilFailure<Item>(window: Window<Item>): Promise<readonly Evaluation<Item>[]> {
  const { next, evaluate, width, signal } = window;
  const evaluations: { item: Item; outcome: Outcome | undefined }[] = [];
  const inFlight = new Set<Promise<void>>();
  let skipped = 0;
  let failed = false;

  const start = (item: Item): void => {
    const evaluation: { item: Item; outcome: Outcome | undefined } = { item, outcome: undefined };
    evaluations.push(evaluation);
    const settled = evaluate(item).then((outcome) => {
      inFlight.delete(settled);
      if (signal?.aborted) return;
      evaluation.outcome = outcome;
      if (outcome.kind === "skipped") skipped += 1;
      if (outcome.kind === "failed") failed = true;
    });
    inFlight.add(settled);
  };

  const abort = abortPromise(signal);
  try {
    while (!signal?.aborted) {
      while (!failed && inFlight.size < width) {
        const item = next(skipped);
        if (item === undefined) break;
        start(item);
      }
      if (inFlight.size === 0) break;
      await Promise.race([abort.promise, ...inFlight]);
    }
    return evaluations;
  } finally {
    abort.release();
  }
}

/** A promise that resolves when the signal aborts, and a function that stops listening to the signal. */
export function abortPromise(signal: AbortSignal | undefined): { promise: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  if (signal?.aborted) resolve();
  signal?.addEventListener("abort", onAbort, { once: true });
  return { promise, release: () => signal?.removeEventListener("abort", onAbort) };
}
