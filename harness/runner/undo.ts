import type { CaseContext } from "../case/context.ts";
import { againAfterOutage } from "../case/unproven.ts";
import { abortAfter } from "./deadline.ts";
import type { Run } from "./run.ts";
import type { CaseTrace } from "./trace.ts";

/** Opens the context that undoing works in, which ends with the signal. */
export type OpenUndo = (signal: AbortSignal) => CaseContext;

/** What of a trace is to be undone. */
type UndoTrace = Pick<CaseTrace, "undo" | "pending" | "over">;

/**
 * Runs the undoing of a trace in reverse order, with a deadline of its own; what cannot be undone is listed. Calls that are
 * under way are waited for: a case that ends early leaves some, and what they make is to be undone too.
 */
export async function undoAll(trace: UndoTrace, open: OpenUndo, run: Run): Promise<void> {
  trace.over = true;
  while (trace.pending.size > 0) await Promise.allSettled([...trace.pending]);
  if (trace.undo.length === 0 || run.skipCleanup) return;
  const context = open(abortAfter(run.caseMs, run.undoEnded));
  for (const { action, what } of trace.undo.toReversed()) {
    try {
      run.leftovers.push(...(await againAfterOutage(() => action(context))));
    } catch (error) {
      run.leftovers.push(`${what} (${(error as Error).message})`);
    }
  }
}

/** Undoes a trace behind the cases; `run.close` waits for it. */
export function undoBehind(trace: UndoTrace, open: OpenUndo, run: Run): void {
  const undoing = undoAll(trace, open, run).finally(() => run.background.delete(undoing));
  run.background.add(undoing);
}
