/** How long to wait for a stale read to catch up, in milliseconds. One for all values of a property. */
export interface Patience {
  readonly ms: number;
  /** To be called when reads did not catch up in that time: the target is wrong, so that later waits can be short. */
  spend(): void;
}

/** @param fullMs how long to wait at first @param spentMs how long once reads did not catch up */
export function createPatience(fullMs: number, spentMs: number): Patience {
  let ms = fullMs;
  return {
    get ms() {
      return ms;
    },
    spend() {
      ms = Math.min(ms, spentMs);
    },
  };
}

/** How long to wait for reads of a target whose reads did not catch up before, in milliseconds. */
export const spentPatienceMs = 40;
