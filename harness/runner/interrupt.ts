import type { RuleCase, ScenarioCase } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import { Unproven } from "../case/unproven.ts";

/**
 * Ends a run early without leaving anything behind: cases under way come to their end, no further one is put, and what
 * was made is undone. The command line hears of it, the run is in another thread of the process.
 */
const channelName = "hallmark interrupts";

/** Asks every run of the process to end. */
export function sendInterrupt(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("end");
  channel.close();
}

/** Whether a run was asked to end. */
export interface InterruptListener {
  readonly interrupted: boolean;
  close(): void;
}

/** Listens for being asked to end. */
export function listenForInterrupt(): InterruptListener {
  const channel = new BroadcastChannel(channelName);
  let interrupted = false;
  channel.onmessage = () => {
    interrupted = true;
  };
  return {
    get interrupted() {
      return interrupted;
    },
    close: () => channel.close(),
  };
}

/** The instance as one that is not put any more: unproven, with a sentence of its own. */
export function notPut<C extends ScenarioCase | RuleCase>(instance: Instance<C>): Instance<C> {
  const run = () => Promise.reject(new Unproven("the run was interrupted before this case was put"));
  return { ...instance, case: { ...instance.case, run } };
}
