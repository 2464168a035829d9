import { performance } from "node:perf_hooks";

/** How many cases of a run are under way at once, whatever package and phase they are of. */
export interface Seats {
  /** Takes a seat for a case that begins; false while there is none. */
  take(): boolean;
  /** Gives one back, and lets those look who wait for one. */
  give(): void;
  /** Names somebody who looks for seats whenever there may be some. */
  whenFree(look: () => void): void;
}

/** How often it looks whether there is room for more, in milliseconds, and how many more then. */
const [tickMs, atATime] = [20, 4];
/** Seats at most, in times of the usual number. */
const mostTimes = 4;
/** A thread that is busy for less of the time than this has room for more. */
const busyShare = 0.7;

/** Tells what share of the time this thread was busy since it was last asked. */
function measureBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

const noMore = () => false;

/**
 * Begins with the usual number. While all are taken, nothing waits for its turn to be sent and this thread has little to do, cases are
 * waiting for the target, or for time to pass: some more begin beside them.
 *
 * @param isFree whether another request would be sent at once; default: there are no more seats than usual
 * @param busy what share of the time this thread was busy since it was last asked
 */
export function createSeats(
  usual: number,
  isFree: () => boolean = noMore,
  busy: () => number = measureBusyShare(),
): Seats {
  const lookers: (() => void)[] = [];
  let taken = 0;
  let extra = 0;
  let looksSoon = false;

  function tell(): void {
    // Who looked first looks last next time: none of them gets all.
    const [first] = lookers;
    if (first !== undefined) lookers.push(...lookers.splice(0, 1));
    for (const look of [...lookers]) look();
  }

  function adjust(): void {
    looksSoon = false;
    const isIdle = busy() < busyShare && isFree();
    extra = isIdle ? Math.min(extra + atATime, usual * (mostTimes - 1)) : Math.max(0, extra - atATime);
    tell();
  }

  return {
    take() {
      if (taken < usual + extra) {
        taken += 1;
        return true;
      }
      if (isFree !== noMore && !looksSoon) {
        looksSoon = true;
        setTimeout(adjust, tickMs);
      }
      return false;
    },
    give() {
      taken -= 1;
      // A driver that puts the next case at once is heard before.
      queueMicrotask(tell);
    },
    whenFree(look) {
      lookers.push(look);
    },
  };
}
