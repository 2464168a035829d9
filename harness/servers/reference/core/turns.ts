/** Runs tasks, no more than `max` at once; the others wait in the order they came. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** @param max tasks under way at once, 1 or more */
export function createTurns(max: number): Turns {
  let free = max;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
