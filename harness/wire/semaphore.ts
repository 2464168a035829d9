/** One limit per target: how many requests are in flight, and how many may start per second. */
export interface Semaphore {
  /**
   * Runs `task` when a place is free. Those who wait in the same line have places in the order they asked, and lines
   * take turns: whoever asks for little does not wait behind all of one who asks for much.
   * @param task may give its place back before it has ended: it calls `leave`
   * @param line what tells the lines apart; default one line for all who name none
   */
  run<T>(task: (leave: () => void) => Promise<T>, line?: unknown): Promise<T>;
}

/**
 * Creates the limit of a target.
 * @param places requests in flight at most, 1 or more
 * @param perSecond requests started per second at most; undefined for no cap
 */
export function createSemaphore(places: number, perSecond?: number): Semaphore {
  let free = places;
  let nextStart = 0;
  // The line whose turn it is comes first.
  const lines = new Map<unknown, (() => void)[]>();

  function enter(line: unknown, start: () => void): void {
    const waiting = lines.get(line);
    if (waiting === undefined) lines.set(line, [start]);
    else waiting.push(start);
  }

  function next(): (() => void) | undefined {
    for (const [line, waiting] of lines) {
      const start = waiting.shift();
      lines.delete(line);
      if (waiting.length > 0) lines.set(line, waiting);
      return start;
    }
    return undefined;
  }

  async function takeTurn(): Promise<void> {
    if (perSecond === undefined) return;
    const now = performance.now();
    const start = Math.max(now, nextStart);
    nextStart = start + 1000 / perSecond;
    if (start > now) await new Promise((resolve) => setTimeout(resolve, start - now));
  }

  return {
    async run(task, line) {
      if (free > 0) free -= 1;
      else await new Promise<void>((start) => enter(line, start));
      let here = true;
      const leave = () => {
        if (!here) return;
        here = false;
        const start = next();
        if (start === undefined) free += 1;
        else start();
      };
      try {
        await takeTurn();
        return await task(leave);
      } finally {
        leave();
      }
    },
  };
}
