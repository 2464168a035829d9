import type { CaseContext } from "../case/context.ts";
import { againAfterOutage, noTimeToUndo } from "../case/unproven.ts";
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
  const signal = abortAfter(run.caseMs, run.undoEnded);
  const context = open(signal);
  for (const { action, what } of trace.undo.toReversed()) {
    try {
      run.leftovers.push(...(await againAfterOutage(() => action(context))));
    } catch (error) {
      run.leftovers.push(`${what} (${signal.aborted ? noTimeToUndo : (error as Error).message})`);
    }
  }
}

/** Undoes a trace behind the cases; `run.close` waits for it. */
export function undoBehind(trace: UndoTrace, open: OpenUndo, run: Run): void {
  const undoing = undoAll(trace, open, run).finally(() => run.background.delete(undoing));
  run.background.add(undoing);
}

const thing = /^\w+ [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;

/** What is left behind, a line for each thing: several undoings may have come across one, and tell the same of it. */
export function oneOfEach(leftovers: readonly string[]): readonly string[] {
  const lines = new Map<string, string>();
  for (const line of leftovers) {
    const named = thing.exec(line)?.[0].toLowerCase() ?? line;
    if (!lines.has(named)) lines.set(named, line);
  }
  return [...lines.values()];
}
