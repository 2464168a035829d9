/**
 * Bounds how long a failure is shrunk, as each try runs a whole sequence against the target. After `maxTries` tries every
 * further value passes without being tried, so that shrinking ends with the smallest failure found.
 *
 * @param check tries a value on the target; false where it failed
 * @param maxTries values to try after the first failure, not counting those known to fail
 */
export function boundShrinking<T, Context>(
  check: (value: T, context: Context) => Promise<boolean>,
  maxTries = 60,
): (value: T, context: Context) => Promise<void> {
  const failed = new Set<string>();
  let tries = 0;
  return async (value, context) => {
    const key = JSON.stringify(value);
    if (failed.size > 0 && !failed.has(key)) {
      tries += 1;
      if (tries > maxTries) return;
    }
    if (!(await check(value, context))) failed.add(key);
  };
}
