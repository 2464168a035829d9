import type { TargetSettings } from "../target/schema.ts";

/** How long a run may take, in milliseconds, and how much of that is gone. */
export interface RunBudget {
  readonly totalMs: number;
  /** Why no further case is put; undefined while there is time. */
  readonly exceeded: string | undefined;
  /** What is left of it, in milliseconds; 0 once it is up. */
  readonly leftMs: number;
  /** How long repeating red cases may take, in milliseconds: a part of what the run took so far. */
  triageMs(): number;
  /** How long undoing may take once no further case is put, in milliseconds. */
  undoMs(): number;
}

/** A full run takes so long at most, unless the target file says otherwise. */
const maxMs = 600_000;
/** A run of few cases is given so much all the same: some wait for what takes long. */
const minMs = 120_000;
/** What a case is reckoned to take of it, on a slow target. */
const msPerCase = 1_000;

/** Repeating takes a fifth of the run at most, or this where that is more, or where the time of the run is up. */
const minTriageMs = 15_000;

/**
 * Begins the time of a run.
 *
 * @param cases how many are planned
 * @param factor how many times as long a case of the run may take as `patience.caseMs` says
 * @param extraMs what it is given beside
 */
export function createBudget(
  { patience }: TargetSettings,
  cases: number,
  factor: number,
  extraMs = 0,
  now = () => performance.now(),
): RunBudget {
  const started = now();
  const totalMs = (patience.runMs ?? Math.min(maxMs, Math.max(minMs, cases * msPerCase))) * factor + extraMs;
  const isUp = () => now() - started >= totalMs;
  return {
    totalMs,
    get exceeded() {
      if (!isUp()) return undefined;
      return `the run's time was up before this case was put (patience.runMs: ${Math.round(totalMs)})`;
    },
    get leftMs() {
      return Math.max(0, totalMs - (now() - started));
    },
    triageMs: () => (isUp() ? minTriageMs : Math.max(minTriageMs, (now() - started) / 5)),
    undoMs: () => Math.max(patience.caseMs, (now() - started) / 5),
  };
}
