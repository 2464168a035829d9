import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { isOver } from "../wire/states.ts";
import { recordIn } from "./subject.ts";

/** A wait for what a watch, or another stream, shows last. */
export interface EndWait {
  /** Whether there is no time left. */
  readonly isLate: boolean;
  /** Milliseconds left, one at least. */
  readonly leftMs: number;
  /** Tells of a stream that ended without showing anything: after some it is looked whether there is anything to show. */
  sawNothing(): Promise<void>;
  /** Tells how it came out: that the end was shown, or was not in all the time there was. */
  ended(came: boolean): void;
}

/** Streams in a row that show nothing, before it is looked whether their subject has ended. */
const maxEmpty = 8;

/** How much later than a reading a watch may show an end, in milliseconds, where each of its streams ends with nothing shown. */
const maxLagMs = 5000;

/**
 * Begins to wait for the last message of a watch, or of another stream. Three that waited in vain, one after another, know it for all: a server
 * whose streams cannot be read, or show no end, is not listened to for `patience.settleMs` by each case.
 *
 * @param subject what is watched
 * @param withinMs what is waited; less than `patience.settleMs` says nothing of whether it comes
 * @param isPromised whether it is to come once the subject has ended; what need not come is waited for by each case
 * @throws Unproven where others have waited in vain
 */
export function waitForEnd(context: CaseContext, subject: Subject, withinMs: number, isPromised = true): EndWait {
  const { run, setup, signal, target } = context;
  const what = `a watch of a ${subject.kind} that shows its end`;
  const { settleMs } = target.settings.patience;
  const isWhole = isPromised && withinMs >= settleMs;
  const inVain = isWhole ? run.circuits.inVain(what) : undefined;
  if (inVain !== undefined) throw new Unproven(`needs ${inVain}`);
  let deadline = performance.now() + withinMs;
  let empty = 0;
  return {
    get isLate() {
      return performance.now() >= deadline;
    },
    get leftMs() {
      return Math.max(1, Math.round(deadline - performance.now()));
    },
    async sawNothing() {
      empty += 1;
      if (!isPromised || empty % maxEmpty !== 0) return;
      const read = await setup.read(subject);
      if (read.outcome === "served" && isOver(recordIn(read)))
        deadline = Math.min(deadline, performance.now() + Math.min(maxLagMs, settleMs));
    },
    ended(came) {
      if (isPromised && (came || (isWhole && !signal.aborted))) run.circuits.ended(what, came);
    },
  };
}
