/** One operation of a concurrent history: its effect, as its reply showed it, and the closed interval in which it took effect. */
export interface Operation<Effect> {
  /** When it was called, in milliseconds of one clock. */
  readonly called: number;
  /** When its reply was there, on the same clock; `Infinity` for an operation without a reply. */
  readonly returned: number;
  readonly effect: Effect;
}

/** An object whose operations take place one after another. */
export interface SequentialModel<State, Effect> {
  readonly initial: State;
  /** The states after an operation with this effect; none where it cannot have this effect in this state. */
  step(state: State, effect: Effect): readonly State[];
  /** Two states are the same if their keys are equal. */
  key(state: State): string;
}

/** The result of looking for a linearization. `unknown`: the budget was spent, which proves nothing. */
export type Linearization<Effect> =
  | { readonly found: "yes"; readonly order: readonly Operation<Effect>[] }
  /** `order` is the longest order found that the model allows: no other operation can follow it. */
  | { readonly found: "no"; readonly order: readonly Operation<Effect>[] }
  | { readonly found: "unknown" };

interface SearchNode<State> {
  /** Bit set of the operations in `order`. */
  readonly placed: bigint;
  readonly state: State;
  readonly order: readonly number[];
}

/**
 * Looks for a linearization of a history: an order of its operations that the model allows, in which an operation precedes
 * another if it returned before the other was called. Intervals are closed, so operations that touch in time are
 * concurrent. An operation that never returned may take effect at any time after its call, or never.
 *
 * The search is that of Wing and Gong, with Lowe's cache of (operations placed, state): each pair is tried once.
 *
 * @param budget pairs to try before giving up
 */
export function findLinearization<State, Effect>(
  history: readonly Operation<Effect>[],
  model: SequentialModel<State, Effect>,
  budget = 50_000,
): Linearization<Effect> {
  const operations = history.toSorted((a, b) => a.called - b.called);
  const bits = operations.map((_, index) => 1n << BigInt(index));
  const required = operations.reduce(
    (mask, { returned }, index) => mask | (returned === Infinity ? 0n : (bits[index] ?? 0n)),
    0n,
  );
  const tried = new Set<string>();
  const open: SearchNode<State>[] = [{ placed: 0n, state: model.initial, order: [] }];
  let longest: readonly number[] = [];
  let tries = 0;
  const operationsOf = (order: readonly number[]) => order.flatMap((index) => operations[index] ?? []);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { placed, state, order } = node;
    if ((placed & required) === required) return { found: "yes", order: operationsOf(order) };
    if (order.length > longest.length) longest = order;
    const remaining = operations.flatMap(({ returned }, index) =>
      (placed & (bits[index] ?? 0n)) === 0n ? [returned] : [],
    );
    const firstReturn = Math.min(...remaining);
    // The operation called first is tried first, as most histories are explained by the order of their calls.
    for (let index = operations.length - 1; index >= 0; index -= 1) {
      const [operation, bit] = [operations[index], bits[index]];
      if (operation === undefined || bit === undefined) continue;
      if ((placed & bit) !== 0n || operation.called > firstReturn) continue;
      for (const next of model.step(state, operation.effect)) {
        const key = `${placed | bit} ${model.key(next)}`;
        if (tried.has(key)) continue;
        tries += 1;
        if (tries > budget) return { found: "unknown" };
        tried.add(key);
        open.push({ placed: placed | bit, state: next, order: [...order, index] });
      }
    }
  }
  return { found: "no", order: operationsOf(longest) };
}

/** The number of pairs of operations that overlap in time. A history without any shows nothing about concurrency. */
export function countOverlaps(history: readonly Operation<unknown>[]): number {
  return history.reduce(
    (sum, one, index) =>
      sum +
      history.slice(index + 1).filter((other) => one.called <= other.returned && other.called <= one.returned).length,
    0,
  );
}
