/** One operation of a concurrent history: what it did, and the closed interval in which it took effect. */
export interface Operation<Did> {
  /** When it was called and when its answer was there, in milliseconds of one clock. Never answered: `Infinity`. */
  readonly called: number;
  readonly returned: number;
  readonly did: Did;
}

/** What an object is and does when operations come one after another. */
export interface SequentialModel<State, Did> {
  readonly initial: State;
  /** The states after `did` with the answer it gave; none where it cannot have come to that answer in this state. */
  step(state: State, did: Did): readonly State[];
  /** States of one key are one state. */
  key(state: State): string;
}

/** Whether some order explains a history. `unknown`: the budget ended first, which says nothing. */
export type Explanation<Did> =
  | { readonly found: "yes"; readonly order: readonly Operation<Did>[] }
  /** `order` is the longest prefix that some order explains; nothing of the rest can follow it. */
  | { readonly found: "no"; readonly order: readonly Operation<Did>[] }
  | { readonly found: "unknown" };

interface Place<State> {
  readonly taken: bigint;
  readonly state: State;
  readonly order: readonly number[];
}

/**
 * Looks for an order of the operations that keeps to their intervals and that the model allows: one that each comes
 * before another only if it did not begin after the other had ended. Intervals are closed, so that equal times are
 * concurrent. An operation that never returned may have taken effect at any later time, or never.
 *
 * The search is Wing and Gong's, with Lowe's memory of (operations taken, state): a place is tried once.
 *
 * @param budget places to try before giving up
 */
export function explain<State, Did>(
  history: readonly Operation<Did>[],
  model: SequentialModel<State, Did>,
  budget = 50_000,
): Explanation<Did> {
  const operations = history.toSorted((a, b) => a.called - b.called);
  const bits = operations.map((_, index) => 1n << BigInt(index));
  const all = operations.reduce(
    (mask, { returned }, index) => mask | (returned === Infinity ? 0n : (bits[index] ?? 0n)),
    0n,
  );
  const seen = new Set<string>();
  const open: Place<State>[] = [{ taken: 0n, state: model.initial, order: [] }];
  let longest: readonly number[] = [];
  let tried = 0;
  const named = (order: readonly number[]) => order.flatMap((index) => operations[index] ?? []);
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { taken, state, order } = place;
    if ((taken & all) === all) return { found: "yes", order: named(order) };
    if (order.length > longest.length) longest = order;
    const left = operations.flatMap(({ returned }, index) => ((taken & (bits[index] ?? 0n)) === 0n ? [returned] : []));
    const soonest = Math.min(...left);
    // The earliest called is tried first: most histories are explained by the order of their calls.
    for (let index = operations.length - 1; index >= 0; index -= 1) {
      const [operation, bit] = [operations[index], bits[index]];
      if (operation === undefined || bit === undefined || (taken & bit) !== 0n || operation.called > soonest) continue;
      for (const next of model.step(state, operation.did)) {
        const key = `${taken | bit} ${model.key(next)}`;
        if (seen.has(key)) continue;
        tried += 1;
        if (tried > budget) return { found: "unknown" };
        seen.add(key);
        open.push({ taken: taken | bit, state: next, order: [...order, index] });
      }
    }
  }
  return { found: "no", order: named(longest) };
}

/** How many pairs of operations overlap in time: without any, a history shows nothing of concurrency. */
export function countOverlaps(history: readonly Operation<unknown>[]): number {
  return history.reduce(
    (sum, one, index) =>
      sum +
      history.slice(index + 1).filter((other) => one.called <= other.returned && other.called <= one.returned).length,
    0,
  );
}
