import type { CaseContext } from "../case/context.ts";
import { livesForItsPhase } from "../case/phase.ts";
import { againAfterOutage, noTimeToUndo } from "../case/unproven.ts";
import { createSemaphore } from "../wire/semaphore.ts";
import { abortAfter } from "./deadline.ts";
import type { Run } from "./run.ts";
import type { CaseTrace, ContextOptions, Undoable } from "./trace.ts";

/** Opens the context that undoing works in, which ends with the signal. */
export type OpenUndo = (signal: AbortSignal) => CaseContext;

/** What of a trace is to be undone. */
type UndoTrace = Pick<CaseTrace, "undo" | "pending" | "over">;

/** Lets a trace make no more, and waits for the calls that it left going on: what they make is in its undoing by then. */
export async function endOf(trace: Pick<CaseTrace, "pending" | "over">): Promise<void> {
  trace.over = true;
  while (trace.pending.size > 0) await Promise.allSettled([...trace.pending]);
}

/**
 * Runs the undoing of a trace in reverse order, with a deadline of its own; what cannot be undone is listed. Things of one kind
 * that follow each other are undone side by side. Calls that are under way are waited for: a case that ends early leaves some,
 * and what they make is to be undone too. Without clean-up only that is undone which lives no longer than its phase.
 */
export async function undoAll(trace: UndoTrace, open: OpenUndo, run: Run): Promise<void> {
  await endOf(trace);
  // Even a server that is thrown away afterwards has room for so many endpoints: cases wait for those of others to go.
  const isUndone = ({ what }: Undoable) => run.skipCleanup !== "all" && livesForItsPhase(kindOf(what) ?? "");
  const undo = run.skipCleanup !== false ? trace.undo.filter(isUndone) : trace.undo;
  if (undo.length === 0) return;
  const signal = abortAfter(run.caseMs, run.undoEnded);
  const context = open(signal);
  const undoOne = async ({ action, what }: Undoable) => {
    try {
      run.leftovers.push(...(await againAfterOutage(() => action(context))));
    } catch (error) {
      run.leftovers.push(`${what} (${signal.aborted ? noTimeToUndo : (error as Error).message})`);
    }
  };
  for (const alike of inRowsOfOneKind(undo.toReversed())) {
    const slots = createSemaphore(atOnce);
    await Promise.all(
      byThing(alike).map((same) =>
        slots.run(async () => {
          for (const one of same) await undoOne(one);
        }),
      ),
    );
  }
}

/** Things of one kind that a case made one after the other, and that are undone at the same time, at most. */
const atOnce = 4;

/** Cuts a list where the kind of thing changes: things of one kind do not depend on each other. What has no id stands alone. */
function inRowsOfOneKind(all: readonly Undoable[]): readonly (readonly Undoable[])[] {
  const rows: { readonly kind: string | undefined; readonly row: Undoable[] }[] = [];
  for (const one of all) {
    const kind = kindOf(one.what);
    const before = rows.at(-1);
    if (kind !== undefined && before?.kind === kind) before.row.push(one);
    else rows.push({ kind, row: [one] });
  }
  return rows.map(({ row }) => row);
}

/** What is to be undone of each thing: replays of one creation have each shown it, and the first undoing leaves the others nothing. */
function byThing(alike: readonly Undoable[]): readonly (readonly Undoable[])[] {
  return [...Map.groupBy(alike, ({ what }) => thingOf(what)).values()];
}

/** Undoes a trace behind the cases; the end of the phase waits for it, and `run.close`. */
export function undoBehind(trace: UndoTrace, open: OpenUndo, { run, row }: Pick<ContextOptions, "run" | "row">): void {
  run.phase.behind(row.package, undoAll(trace, open, run));
}

/** A thing as leftovers name it: its kind, and its id. */
const thing = /^(.+?) [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;

/** The kind of what a line names. */
const kindOf = (line: string) => thing.exec(line)?.[1];

/** The thing that a line names, in lower case; the line itself where it names none by its id. */
const thingOf = (line: string) => thing.exec(line)?.[0].toLowerCase() ?? line;

/** What is left behind, a line for each thing: several undoings may have come across one, and tell the same of it. */
export function oneOfEach(leftovers: readonly string[]): readonly string[] {
  const lines = new Map<string, string>();
  for (const line of leftovers) {
    const named = thingOf(line);
    if (!lines.has(named)) lines.set(named, line);
  }
  return [...lines.values()];
}
