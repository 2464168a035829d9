/** What a start is late by is made up for as far as so many milliseconds: all that was due while this process was busy is too much at once. */
const maxMadeUpMs = 20;

/** How many requests may start per second. */
export interface StartRate {
  /**
   * Settles at a start of its own: urgent requests come first, the others in the order they asked.
   * `undefined` where there is no cap, so that nothing waits for a turn of the event loop.
   */
  waitForStart(isUrgent?: boolean): Promise<void> | undefined;
}

/**
 * Creates the rate of a target's starts.
 * @param perSecond requests per second at most; looked at whenever one starts. `Infinity` is no cap
 */
export function createStartRate(perSecond: () => number): StartRate {
  const urgent: (() => void)[] = [];
  const others: (() => void)[] = [];
  let nextStart = 0;
  let isStarting = false;

  /** Waits for the next start that is due, and takes it. */
  async function takeStart(): Promise<void> {
    const [due, asked] = [nextStart, performance.now()];
    if (due > asked) await new Promise((resolve) => setTimeout(resolve, due - asked));
    const now = performance.now();
    // A timer that is late by a little makes no one else late.
    nextStart = (due > asked ? Math.max(due, now - maxMadeUpMs) : now) + 1000 / perSecond();
  }

  /** Starts one after the other until nobody waits. Whose turn it is shows once a start is due. */
  async function startAll(): Promise<void> {
    isStarting = true;
    while (urgent.length + others.length > 0) {
      await takeStart();
      (urgent.shift() ?? others.shift())?.();
    }
    isStarting = false;
  }

  return {
    waitForStart(isUrgent = false) {
      if (perSecond() === Number.POSITIVE_INFINITY && !isStarting) return undefined;
      return new Promise((start) => {
        (isUrgent ? urgent : others).push(start);
        if (!isStarting) void startAll();
      });
    },
  };
}
