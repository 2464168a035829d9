/** One limit per target: how many requests are in flight, and how many may start per second. */
export interface Semaphore {
  /** Runs `task` when a place is free. Places are given in the order they were asked for. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/**
 * Creates the limit of a target.
 * @param places requests in flight at most, 1 or more
 * @param perSecond requests started per second at most; undefined for no cap
 */
export function createSemaphore(places: number, perSecond?: number): Semaphore {
  let free = places;
  let nextStart = 0;
  const waiting: (() => void)[] = [];

  async function takeTurn(): Promise<void> {
    if (perSecond === undefined) return;
    const now = performance.now();
    const start = Math.max(now, nextStart);
    nextStart = start + 1000 / perSecond;
    if (start > now) await new Promise((resolve) => setTimeout(resolve, start - now));
  }

  return {
    async run(task) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await takeTurn();
        return await task();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
