import type { CaseContext } from "../case/context.ts";
import { Unproven } from "../case/unproven.ts";

/** A wait for what a watch shows last. */
export interface EndWait {
  /** Tells how it came out: that the end was shown, or was not in all the time there was. */
  ended(came: boolean): void;
}

/**
 * Begins to wait for the last message of a watch. Three that waited in vain, one after another, know it for all: a server
 * whose streams cannot be read, or show no end, is not listened to for `patience.settleMs` by each case.
 *
 * @param method of the stream, as the reason names it
 * @param withinMs what is waited; less than `patience.settleMs` says nothing of whether it comes
 * @throws Unproven where others have waited in vain
 */
export function waitForEnd(context: CaseContext, method: "WatchJob" | "WatchRun", withinMs: number): EndWait {
  const { run, signal, target } = context;
  const what = `a ${method} that shows an end`;
  const isWhole = withinMs >= target.settings.patience.settleMs;
  const inVain = isWhole ? run.circuits.inVain(what) : undefined;
  if (inVain !== undefined) throw new Unproven(`needs ${inVain}`);
  return {
    ended(came) {
      if (came || (isWhole && !signal.aborted)) run.circuits.ended(what, came);
    },
  };
}
