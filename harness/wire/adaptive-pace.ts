/** What a refusal says of how many requests came: too many in a time, or nothing but that the target is unavailable. */
export type Overload = "too many" | "unavailable";

/** How many requests may start per second, by how many the target serves. */
export interface AdaptivePace {
  /** Undefined while the target has not refused any for coming too fast. */
  readonly perSecond: number | undefined;
  /** Notes an answer that was no refusal for coming too fast. */
  answered(): void;
  /** Notes a refusal that may be for coming too fast: of a target that is unavailable, and does not say why, only if it is so often. */
  refused(overload: Overload): void;
}

/** No slower, whatever the target says: a run has an end. */
const leastPerSecond = 20;
/** How much faster it goes each second without a refusal: the limit is met again, and each time some calls are refused. */
const growth = 1.02;
/** What it goes on with of what was served: at the very limit every other moment is one request too many. */
const share = 0.8;
/** Over how long answers are counted, in milliseconds. */
const windowMs = 1000;
/** Whoever is unavailable less often, of so many answers, is so for another reason: asking more slowly would change nothing. */
const [often, ofAnswers] = [10, 100];

/**
 * Keeps below what a target with a limit of requests per second serves: once it refuses one for coming too fast, fewer start in
 * a second than it answered in the last one, and a little more each second from then on. A target that is unavailable now and then,
 * as while one of its instances starts anew, is asked as fast as before.
 */
export function createAdaptivePace(now: () => number = () => performance.now()): AdaptivePace {
  let answers: number[] = [];
  /** Whether each of the last answers was that the target is unavailable. */
  let away: boolean[] = [];
  let slowed: { readonly at: number; readonly perSecond: number } | undefined;

  function lately(): number {
    const since = now() - windowMs;
    const first = answers.findIndex((at) => at > since);
    answers = first === -1 ? [] : answers.slice(first);
    return answers.length;
  }

  function perSecond(): number | undefined {
    return slowed && slowed.perSecond * growth ** ((now() - slowed.at) / 1000);
  }

  function slowDown(): void {
    const most = perSecond() ?? Number.POSITIVE_INFINITY;
    slowed = { at: now(), perSecond: Math.max(leastPerSecond, Math.min(most, share * lately())) };
  }

  function note(isAway: boolean): void {
    away.push(isAway);
    if (away.length > 10 * ofAnswers) away = away.slice(-ofAnswers);
  }

  return {
    get perSecond() {
      return perSecond();
    },
    answered() {
      answers.push(now());
      note(false);
      // Whoever never refuses is not counted for long.
      if (answers.length > 10_000) lately();
    },
    refused(overload) {
      const isAway = overload === "unavailable";
      if (isAway) note(true);
      if (!isAway || away.slice(-ofAnswers).filter(Boolean).length >= often) slowDown();
    },
  };
}
