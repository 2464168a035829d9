/** The limit of one target: how many requests are in flight, and how many may start per second. */
export interface Semaphore {
  /**
   * Runs `task` as soon as a permit is free. Tasks of one queue get permits in the order they asked; queues take turns, so
   * that a caller with few tasks does not wait behind all tasks of another.
   * @param task may give its permit back before it ends, by calling `release`
   * @param queue identifies the queue; default one queue for all callers that name none
   */
  run<T>(task: (release: () => void) => Promise<T>, queue?: unknown): Promise<T>;
  /** Looks at once whether there are more permits than before. */
  recheck(): void;
}

/**
 * Creates the limit of a target.
 * @param permits requests in flight at most, 1 or more; it may change, and is looked at whenever one begins or ends
 * @param perSecond requests started per second at most; it may change, and is looked at whenever one starts. Default: no cap
 */
export function createSemaphore(
  permits: number | (() => number),
  perSecond: number | (() => number) = Number.POSITIVE_INFINITY,
): Semaphore {
  const most = typeof permits === "number" ? () => permits : permits;
  const fastest = typeof perSecond === "number" ? () => perSecond : perSecond;
  let held = 0;
  let nextStart = 0;
  // The queue whose turn is next comes first.
  const queues = new Map<unknown, (() => void)[]>();

  function enqueue(queue: unknown, start: () => void): void {
    const waiting = queues.get(queue);
    if (waiting === undefined) queues.set(queue, [start]);
    else waiting.push(start);
  }

  function dequeue(): (() => void) | undefined {
    for (const [queue, waiting] of queues) {
      const start = waiting.shift();
      queues.delete(queue);
      if (waiting.length > 0) queues.set(queue, waiting);
      return start;
    }
    return undefined;
  }

  /** Hands out every permit there is by now. */
  function startWaiting(): void {
    while (held < most()) {
      const start = dequeue();
      if (start === undefined) return;
      held += 1;
      start();
    }
  }

  async function waitForRate(): Promise<void> {
    const everyMs = 1000 / fastest();
    if (everyMs === 0) return;
    const now = performance.now();
    const start = Math.max(now, nextStart);
    nextStart = start + everyMs;
    if (start > now) await new Promise((resolve) => setTimeout(resolve, start - now));
  }

  return {
    recheck: startWaiting,
    async run(task, queue) {
      if (held < most()) held += 1;
      else await new Promise<void>((start) => enqueue(queue, start));
      let released = false;
      const release = () => {
        if (released) return;
        released = true;
        held -= 1;
        startWaiting();
      };
      try {
        await waitForRate();
        return await task(release);
      } finally {
        release();
      }
    },
  };
}
