import type { CaseResult, Outcome } from "../harness/case/result.ts";
import { oneLine } from "./reply-line.ts";
import { createPaint } from "./terminal/paint.ts";
import { gates, outcomeSigns } from "./words.ts";

/** What is said of a case at once that did not hold; the rest comes with the report. */
export interface LiveFailure {
  readonly id: string;
  /** The RPC that answered wrongly, or that the case is about. */
  readonly rpc: string;
  readonly outcome: Outcome;
  /** Of a violated case: what was expected, and what came instead. */
  readonly expected?: string;
  readonly actual?: string;
  /** Of any other: why it did not hold. */
  readonly reason?: string;
}

/** What is said at once of a result; undefined where it held, was not exercised, or was never put. */
export function liveFailureOf({ id, rpc, outcome, findings, reason }: CaseResult): LiveFailure | undefined {
  if (outcome === "held" || outcome === "not-exercised") return undefined;
  // What ended the run is told once, and not again with each case that it kept from being put.
  if (outcome === "unproven" && reason?.includes("before this case was put") === true) return undefined;
  const finding = findings.find(({ level }) => gates(level));
  if (finding === undefined || outcome !== "violated") return { id, rpc, outcome, reason: reason ?? "" };
  return { id, rpc: finding.rpc, outcome, expected: finding.expected, actual: finding.actual };
}

/** A failure on one line of so many columns: who, and what was expected and came, each cut to its share. */
export function liveFailureLine(failure: LiveFailure, columns: number, colour: boolean): string {
  const { id, rpc, outcome, expected, actual, reason = "" } = failure;
  const paint = createPaint(colour);
  const name = `${outcomeSigns[outcome]} ${id} · ${rpc.split("/").at(-1)}`;
  const room = Math.max(40, columns - name.length - 2);
  if (expected === undefined || actual === undefined) return `${paint(outcome, name)}  ${oneLine(reason, room)}`;
  const words = "expected ; actual ".length;
  const wanted = oneLine(expected, Math.floor((room - words) / 2));
  const came = oneLine(actual, room - words - wanted.length);
  return `${paint(outcome, name)}  ${paint("faint", "expected")} ${wanted}; ${paint("faint", "actual")} ${came}`;
}
