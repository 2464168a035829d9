import type { Batch } from "./batch.ts";
import { createStartRate } from "./start-rate.ts";

/** When it is a task's turn. */
export interface Turn {
  /** Identifies the queue; default one queue for all callers that name none. */
  readonly queue?: unknown;
  /** Tasks that it begins with, as far as there are permits for them within a moment. */
  readonly batch?: Batch | undefined;
  /** It is of use for a moment only: it begins before all that waits, or with its batch where it is of one. */
  readonly isUrgent?: boolean;
}

/** The limit of one target: how many requests are in flight, and how many may start per second. */
export interface Semaphore {
  /**
   * Runs `task` as soon as a permit is free. Tasks of one queue get permits in the order they asked; queues take turns, so
   * that a caller with few tasks does not wait behind all tasks of another.
   * @param task may give its permit back before it ends, by calling `release`
   */
  run<T>(task: (release: () => void) => Promise<T>, turn?: Turn): Promise<T>;
  /** Looks at once whether there are more permits than before. */
  recheck(): void;
}

/** How long nobody else gets a permit while there are too few for a batch, in milliseconds: some requests take long. */
const maxDrainMs = 25;

/** Tasks that begin at the same time; of most there is one. */
type Starts = readonly (() => void)[];

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
  let held = 0;
  // The queue whose turn is next comes first.
  const queues = new Map<unknown, Starts[]>();
  /** Urgent tasks that wait for a permit. */
  const urgent: (() => void)[] = [];

  function enqueue(queue: unknown, starts: Starts): void {
    const waiting = queues.get(queue);
    if (waiting === undefined) queues.set(queue, [starts]);
    else waiting.push(starts);
  }

  /** The batch whose turn it is, which waits for permits. */
  let draining: { readonly starts: Starts; readonly until: number } | undefined;

  /** How many of these tasks, whose turn it is, begin now: all, or as many as may; for a moment none, as more may soon. */
  function countNow(starts: Starts): number {
    const free = most() - held;
    if (free <= 0 || starts.length <= free || held === 0) return Math.min(starts.length, free);
    if (draining?.starts !== starts) {
      draining = { starts, until: performance.now() + maxDrainMs };
      setTimeout(startWaiting, maxDrainMs + 1);
    }
    return performance.now() < draining.until ? 0 : free;
  }

  /** Tasks whose turn it is, if there are permits for them: for a moment nobody gets one before them. */
  function dequeue(): Starts {
    for (const [queue, waiting] of queues) {
      const [starts = []] = waiting;
      const count = countNow(starts);
      if (count <= 0) return [];
      queues.delete(queue);
      waiting.shift();
      // The rest begin one by one.
      waiting.unshift(...starts.slice(count).map((start) => [start]));
      if (waiting.length > 0) queues.set(queue, waiting);
      return starts.slice(0, count);
    }
    return [];
  }

  /** Hands out every permit there is by now. */
  function startWaiting(): void {
    while (held < most()) {
      const first = urgent.shift();
      const starts = first === undefined ? dequeue() : [first];
      if (starts.length === 0) return;
      held += starts.length;
      for (const start of starts) start();
    }
  }

  /** Settles once the task has a permit. */
  function permitFor({ queue, batch, isUrgent = false }: Turn): Promise<void> | undefined {
    if (batch === undefined && (isUrgent || queues.size === 0) && held < most()) {
      held += 1;
      return undefined;
    }
    return new Promise<void>((start) => {
      if (batch === undefined) return isUrgent ? void urgent.push(start) : enqueue(queue, [start]);
      batch.join(start, (starts) => {
        enqueue(queue, starts);
        startWaiting();
      });
    });
  }

  const rate = createStartRate(typeof perSecond === "number" ? () => perSecond : perSecond);
  return {
    recheck: startWaiting,
    async run(task, turn = {}) {
      await permitFor(turn);
      let released = false;
      const release = () => {
        if (released) return;
        released = true;
        held -= 1;
        startWaiting();
      };
      try {
        await rate.waitForStart(turn.isUrgent);
        return await task(release);
      } finally {
        release();
      }
    },
  };
}
