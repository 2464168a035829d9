import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext, Undoing } from "../case/context.ts";
import type { CheckLog } from "../case/judge.ts";
import type { Finding } from "../case/result.ts";
import { noTimeToUndo, Unproven } from "../case/unproven.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Lapses } from "./lapses.ts";
import type { Run } from "./run.ts";

/** Something a case made, and how it is undone. */
export interface Undoable {
  readonly action: Undoing;
  /** What it is, with its id, as leftovers name it. */
  readonly what: string;
}

/** What a case leaves behind for its result. */
export interface CaseTrace extends CheckLog {
  readonly findings: Finding[];
  readonly exchanges: Exchange[];
  readonly undo: Undoable[];
  /** Calls under way: what they make is still to be undone, though the case be over by then. */
  readonly pending: Set<Promise<unknown>>;
  /** Once the case is over, and what it made is being undone. */
  over: boolean;
  /** Whether any call was served with something in it: without that, nothing the case saw proves anything. */
  served: boolean;
  /** Whether a call was served whose reply may hold nothing, and held nothing. */
  servedEmpty: boolean;
  /** Whether a call was given up as there was too much on the target, which may be otherwise with fewer cases under way. */
  full: boolean;
}

/** A trace with nothing in it. */
export function emptyTrace(): CaseTrace {
  return {
    checks: 0,
    findings: [],
    exchanges: [],
    undo: [],
    pending: new Set(),
    over: false,
    served: false,
    servedEmpty: false,
    full: false,
  };
}

/** What makes a context. */
export interface ContextOptions {
  readonly run: Run;
  readonly row: RpcRow;
  /** Names the source of random values: case id and RPC. */
  readonly label: string;
  readonly says: string;
  readonly clause: string;
  readonly signal: AbortSignal;
  /** Whether what a case made is undone by it. Default false. */
  readonly isUndoing?: boolean;
  /** Told of what the case makes that may lapse; default nobody. */
  readonly lapses?: Lapses;
}

/** A context, and the trace it fills. */
export interface OpenContext {
  readonly context: CaseContext;
  readonly trace: CaseTrace;
}

/** Throws Unproven once a case can go on no more. */
export function checkAlive({ run, signal, isUndoing }: Pick<ContextOptions, "run" | "signal" | "isUndoing">): void {
  const givenUp = run.health.givenUp ?? run.outages.givenUp;
  if (givenUp !== undefined) throw new Unproven(givenUp);
  if (run.ended.aborted) throw new Unproven("the run was given up");
  // What aborts may have a reason of its own to give.
  if (!signal.aborted) return;
  if (signal.reason instanceof Unproven) throw signal.reason;
  throw new Unproven(isUndoing === true ? noTimeToUndo : "the case ran out of time");
}
