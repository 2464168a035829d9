/** How many requests may start per second, by how many the target serves. */
export interface AdaptivePace {
  /** Undefined while the target has not refused any for coming too fast. */
  readonly perSecond: number | undefined;
  /** Notes an answer that was no refusal for coming too fast. */
  answered(): void;
  /** Notes that the target refused a request because too many came in a time. */
  tooFast(): void;
}

/** No slower, whatever the target says: a run has an end. */
const leastPerSecond = 20;
/** How much faster it goes each second without a refusal: the limit is met again, and each time some calls are refused. */
const growth = 1.02;
/** What it goes on with of what was served: at the very limit every other moment is one request too many. */
const share = 0.8;
/** Over how long answers are counted, in milliseconds. */
const windowMs = 1000;

/**
 * Keeps below what a target with a limit of requests per second serves: once it refuses one for coming too fast, fewer start in
 * a second than it answered in the last one, and a little more each second from then on.
 */
export function createAdaptivePace(now: () => number = () => performance.now()): AdaptivePace {
  let answers: number[] = [];
  let refused: { readonly at: number; readonly perSecond: number } | undefined;

  function lately(): number {
    const since = now() - windowMs;
    const first = answers.findIndex((at) => at > since);
    answers = first === -1 ? [] : answers.slice(first);
    return answers.length;
  }

  function perSecond(): number | undefined {
    return refused && refused.perSecond * growth ** ((now() - refused.at) / 1000);
  }

  return {
    get perSecond() {
      return perSecond();
    },
    answered() {
      answers.push(now());
      // Whoever never refuses is not counted for long.
      if (answers.length > 10_000) lately();
    },
    tooFast() {
      const most = perSecond() ?? Number.POSITIVE_INFINITY;
      refused = { at: now(), perSecond: Math.max(leastPerSecond, Math.min(most, share * lately())) };
    },
  };
}
