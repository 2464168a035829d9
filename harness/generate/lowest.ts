/** What became of one evaluation. */
export type Outcome =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped" }
  | { readonly kind: "failed"; readonly error: unknown };

/** An item with its outcome; undefined where the window was aborted before it settled. */
export interface Evaluation<Item> {
  readonly item: Item;
  readonly outcome: Outcome | undefined;
}

/** Items evaluated several at a time, judged as if one after another. */
export interface Window<Item> {
  /**
   * The next item in order, or undefined when none is due; asked again each time an evaluation settles.
   * `skipped`: how many have been skipped so far, so that a source can make up for them.
   */
  readonly next: (skipped: number) => Item | undefined;
  /** Never rejects: a failure is an outcome. */
  readonly evaluate: (item: Item) => Promise<Outcome>;
  /** How many evaluations may be in flight, from 1. */
  readonly width: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Evaluates items until one fails or none is left, at most `width` at once, and gives them back in the order they
 * were pulled. Nothing is started once a failure is known; what is in flight is awaited, so that every item before the
 * failing one has its outcome and nothing outlives the call. An abort returns at once with what had settled by then:
 * failures arriving later may be the abort's own doing and are not kept.
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

  const abort = abortOf(signal);
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

/** A promise that resolves when the signal aborts, and the way to let go of the signal. */
export function abortOf(signal: AbortSignal | undefined): { promise: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  if (signal?.aborted) resolve();
  signal?.addEventListener("abort", onAbort, { once: true });
  return { promise, release: () => signal?.removeEventListener("abort", onAbort) };
}
