import fc from "fast-check";
import { abortPromise } from "./first-failure.ts";

/**
 * Runs the one value that seed and path lead to, by a stock `fc.check` with `endOnFailure`. Gives the failure, or
 * undefined when the value passed or was skipped, or the signal aborted first. Rejects on a path that leads to no value.
 */
export async function replay<T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  seed: number,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ counterexample: T; error: unknown } | undefined> {
  if (signal?.aborted) return undefined;
  let evaluated = false;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    // Where the value passes, fast-check goes on to its siblings; one of those failing would prove another path.
    if (evaluated) throw new fc.PreconditionFailure(true);
    evaluated = true;
    await predicate(value);
  });
  const abort = abortPromise(signal);
  try {
    const stock = fc.check(property, { seed, path, numRuns: 1, endOnFailure: true, examples: [], plugins: [] });
    const details = await Promise.race([stock, abort.promise]);
    if (details === undefined || signal?.aborted) return undefined;
    if (!details.failed || details.counterexamplePath !== path || details.counterexample === null) return undefined;
    return { counterexample: details.counterexample[0], error: details.errorInstance };
  } finally {
    abort.release();
  }
}
