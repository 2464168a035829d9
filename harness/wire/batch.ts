/**
 * Requests that leave at the same time: none before all of them have come to where they wait for their turn. Sent one by one,
 * between those of other senders, they would miss what a server does within a few milliseconds.
 */
export interface Batch {
  /** One of them has come; `leave` is told of the starts of all once the last has. One that comes again leaves by itself. */
  join(start: () => void, leave: (starts: readonly (() => void)[]) => void): void;
  /** One of them will not come, or has been and gone. */
  drop(): void;
}

/** How long the first of a batch waits for the last, in milliseconds: one that needs much longer has met something else. */
const maxGatherMs = 10_000;

/** A batch of so many requests, which leaves without those that have not come `gatherMs` after the first. */
export function createBatch(size: number, gatherMs = maxGatherMs): Batch {
  let [expected, waiting]: [number, (() => void)[]] = [size, []];
  let tell: ((starts: readonly (() => void)[]) => void) | undefined;
  let lapse: NodeJS.Timeout | undefined;
  const leaveNow = () => {
    clearTimeout(lapse);
    const starts = waiting;
    // What was sent may be sent again, where the target was busy: nobody comes along then.
    [expected, waiting] = [0, []];
    tell?.(starts);
  };
  const check = () => {
    if (waiting.length > 0 && waiting.length >= expected) leaveNow();
  };
  return {
    join(start, leave) {
      tell = leave;
      waiting.push(start);
      lapse ??= setTimeout(leaveNow, gatherMs);
      check();
    },
    drop() {
      expected -= 1;
      check();
    },
  };
}

/** Makes so many calls, which are to be given the batch they are of, and leave together. */
export function sendTogether<T>(count: number, make: (batch: Batch, index: number) => Promise<T>): Promise<T[]> {
  const batch = createBatch(count);
  const calls = Array.from({ length: count }, async (_, index) => {
    try {
      return await make(batch, index);
    } finally {
      // One that is never sent does not keep the others.
      batch.drop();
    }
  });
  return Promise.all(calls);
}
