import { type LiveFailure, liveFailureLine } from "../../reports/live-failure.ts";
import { progressLine } from "../../reports/terminal.ts";
import { count, duration } from "../../reports/words.ts";
import { output } from "./output.ts";

/** Says how far a run is. */
export interface Progress {
  planned(count: number): void;
  /** One more case is over; `failure` says at once what it came to where it did not hold. */
  result(failure?: LiveFailure): void;
  end(): void;
}

/** How a run shows itself. */
export interface Showing {
  /** Nothing but the verdict is shown. */
  readonly quiet: boolean;
  readonly colour: boolean;
}

/** True where colour is wanted and seen: on a terminal, not in CI, not with NO_COLOR. */
export function wantsColour(): boolean {
  const { NO_COLOR, CI } = process.env;
  return process.stdout.hasColors?.() === true && NO_COLOR === undefined && (CI === undefined || CI === "");
}

/** Parts of a run after which one without a terminal says how far it is. */
const parts = 4;

/** So many cases take a while until a quarter of them is over: a log is told that they have begun. */
const manyCases = 500;

/** Failures that are told at once; beyond, the report tells them by what they have in common. */
const maxTold = 40;
/** Columns where there is no terminal to ask. */
const usualColumns = 160;

/**
 * Progress on one rewritten line of a terminal; elsewhere a line at each quarter, and where there is much a first. Failures
 * stand above it as they happen, a line each. With `quiet` nothing is shown.
 */
export function createProgress({ quiet, colour }: Showing): Progress {
  const started = performance.now();
  const live = process.stderr.isTTY === true;
  let [total, done, failed, said] = [0, 0, 0, 0];
  const elapsed = () => performance.now() - started;

  function sayPart(): void {
    const part = Math.floor((done / Math.max(total, 1)) * parts);
    if (part <= said || done === total) return;
    said = part;
    const left = (elapsed() / done) * (total - done);
    output.printError(
      `${done} of ${count(total, "case")}, ${failed} failed, ${duration(elapsed())} gone, about ${duration(left)} left\n`,
    );
  }

  function tell(failure: LiveFailure): void {
    if (failed > maxTold) return;
    const line = liveFailureLine(failure, process.stderr.columns ?? usualColumns, colour);
    const more = failed === maxTold ? "Further failures are told at the end.\n" : "";
    if (live) output.printOver(`${line}\n${more}`, colour);
    else output.printError(`${line}\n${more}`, colour);
  }

  return {
    planned(of) {
      total = of;
      if (quiet || live || of < manyCases) return;
      output.printError(`${count(of, "case")} begun; a line follows at each quarter\n`);
    },
    result(failure) {
      done += 1;
      if (failure !== undefined) failed += 1;
      if (quiet) return;
      if (failure !== undefined) tell(failure);
      if (!live) sayPart();
      else output.printOver(progressLine({ done, total, failed, elapsedMs: elapsed(), colour }), colour);
    },
    end() {
      if (!quiet && live) output.printOver("", colour);
    },
  };
}
