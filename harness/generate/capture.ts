import fc from "fast-check";

/** A generated value as fast-check hands it to a property, with the source that shrinks it. */
export interface Captured<T> {
  readonly source: fc.Value<[T]>;
  /** Read from the source once: a second read of a cloneable value would give a fresh clone. */
  readonly input: [T];
}

/** Reads a value from its source; to be called once per source. */
export function readOnce<T>(source: fc.Value<[T]>): Captured<T> {
  return { source, input: source.value };
}

/**
 * The values from index `start` to `start + count - 1` that a stock `fc.check` of the property with this seed would run
 * on. The property itself is not run: a synchronous stand-in generates the values and passes on each.
 */
export function captureValues<T>(
  property: fc.IRawProperty<[T]>,
  seed: number,
  start: number,
  count: number,
): Captured<T>[] {
  const captured: Captured<T>[] = [];
  const passThrough: fc.IRawProperty<[T], false> = {
    isAsync: () => false,
    generate(random, runId) {
      const value = property.generate(random, runId);
      captured.push(readOnce(value));
      return value;
    },
    shrink: (value) => property.shrink(value),
    run: () => null,
    runBeforeEach: () => undefined,
    runAfterEach: () => undefined,
  };
  // A one-segment path makes fast-check jump over the values before it without generating them.
  fc.check(passThrough, { seed, numRuns: count, path: start === 0 ? "" : String(start), examples: [], plugins: [] });
  return captured;
}
