/**
 * Bounds how long a failure is made smaller: each try puts a whole history to the target. After so many tries every
 * further value passes unseen, so that the search for a smaller one ends with the smallest found.
 *
 * @param check puts a value to the target; false where it failed
 * @param maxTried values to try after the first that failed, beside those known to fail
 */
export function boundShrinking<T, Context>(
  check: (value: T, context: Context) => Promise<boolean>,
  maxTried = 60,
): (value: T, context: Context) => Promise<void> {
  const failed = new Set<string>();
  let tried = 0;
  return async (value, context) => {
    const key = JSON.stringify(value);
    if (failed.size > 0 && !failed.has(key)) {
      tried += 1;
      if (tried > maxTried) return;
    }
    if (!(await check(value, context))) failed.add(key);
  };
}
