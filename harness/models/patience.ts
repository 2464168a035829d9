/** How long a reading may lag behind, in milliseconds; shared by the histories of one case. */
export interface Patience {
  readonly ms: number;
  /** Nothing came in all that time: the target does not lag, it is wrong, and what is tried again need not wait as long. */
  spend(): void;
}

/** @param wholeMs for the first that lags @param restMs for those after one that never caught up */
export function createPatience(wholeMs: number, restMs: number): Patience {
  let ms = wholeMs;
  return {
    get ms() {
      return ms;
    },
    spend() {
      ms = Math.min(ms, restMs);
    },
  };
}

/** How long to wait for readings of a target that has shown it does not catch up, in milliseconds. */
export const oncePatient = 40;
