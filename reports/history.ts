import type { Outcome, Results } from "../harness/case/result.ts";
import { byText } from "./order.ts";

/** A run as a line of the history: when it was, and what it came to. */
export interface PastRun {
  readonly startedAt: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly cases: number;
  readonly held: number;
  readonly violated: number;
  /** Unproven and in error. */
  readonly open: number;
}

/** What one case came to over the runs, and what that says of it. */
export interface CaseHistory {
  /** By run; null where a run did not have the case. */
  readonly outcomes: readonly (Outcome | null)[];
  /** The first run of those in a row, up to the last, that it fails in; undefined where it does not fail now. */
  readonly since?: string;
  /** Of each two runs in a row that had it, the share between which it began or ceased to fail. */
  readonly flakeRate: number;
}

/** The runs against a target, the oldest first and the reported one last, and the cases that failed in any of them. */
export interface History {
  readonly runs: readonly PastRun[];
  /** By `alpha.v1.SecretService/GetSecret wire/ids`. */
  readonly cases: Readonly<Record<string, CaseHistory>>;
}

/** How a case is found in a history. */
export function historyKey({ rpc, id }: { readonly rpc: string; readonly id: string }): string {
  return `${rpc} ${id}`;
}

/** Runs that are looked at, at most: the latest. */
const maxRuns = 60;

const isFailing = (outcome: Outcome | null) => outcome === "violated" || outcome === "unproven" || outcome === "error";

/** The history of a run: earlier results of its target, in whatever order they come; others are left out. */
export function historyOf(current: Results, earlier: readonly Results[]): History {
  const before = earlier.filter(
    ({ target, startedAt }) => target.name === current.target.name && startedAt < current.startedAt,
  );
  const all = [...new Map([...before, current].map((one) => [one.startedAt, one])).values()]
    .toSorted((a, b) => byText(a.startedAt, b.startedAt))
    .slice(-maxRuns);
  const outcomes = all.map(({ cases }) => new Map(cases.map((one) => [historyKey(one), one.outcome])));
  const failed = new Set(
    outcomes.flatMap((of) => [...of].flatMap(([key, outcome]) => (isFailing(outcome) ? [key] : []))),
  );
  return {
    runs: all.map(pastRun),
    cases: Object.fromEntries(
      [...failed].sort(byText).map((key) => {
        const of = outcomes.map((run) => run.get(key) ?? null);
        const first = sinceWhen(of);
        const since = first === undefined ? undefined : all[first]?.startedAt;
        return [key, { outcomes: of, ...(since === undefined ? {} : { since }), flakeRate: flakeRateOf(of) }];
      }),
    ),
  };
}

function pastRun({ startedAt, seed, durationMs, summary }: Results): PastRun {
  const { cases, held, violated, unproven, error } = summary;
  return { startedAt, seed, durationMs, cases, held, violated, open: unproven + error };
}

/** The place of the run it fails since; undefined where it does not fail in the last run. */
function sinceWhen(outcomes: readonly (Outcome | null)[]): number | undefined {
  if (!isFailing(outcomes.at(-1) ?? null)) return undefined;
  // A run without the case neither ends a row of failures nor begins one.
  const sound = outcomes.findLastIndex((outcome) => outcome !== null && !isFailing(outcome));
  return outcomes.findIndex((outcome, index) => index > sound && isFailing(outcome));
}

function flakeRateOf(outcomes: readonly (Outcome | null)[]): number {
  const had = outcomes.filter((outcome) => outcome !== null);
  const turns = had.filter((outcome, index) => index > 0 && isFailing(outcome) !== isFailing(had[index - 1] ?? null));
  return had.length < 2 ? 0 : turns.length / (had.length - 1);
}
