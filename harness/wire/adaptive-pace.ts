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
/** Whoever still refuses a few at this part of a pace at which it refused a few does not do so for the pace. */
const inVain = 0.5;

/**
 * Keeps below what a target with a limit of requests per second serves: once it refuses one for coming too fast, fewer start in
 * a second than it answered in the last one, and a little more each second from then on. A target that is unavailable now and then,
 * as while one of its instances starts anew, is asked as fast as before; so is one that says of a few calls that there are too many,
 * however slowly they come.
 */
export function createAdaptivePace(now: () => number = () => performance.now()): AdaptivePace {
  /** When the first call was answered, or refused. */
  let began: number | undefined;
  let answers: number[] = [];
  /** Whether each of the last answers was a refusal. */
  let refusals: boolean[] = [];
  let slowed: { readonly at: number; readonly perSecond: number } | undefined;
  /** The fastest pace at which few were refused, as far as it is known since many were. */
  let fewAt = 0;
  let isInVain = false;

  /** How many were answered in the last second; in the first, how many would be in one. */
  function lately(): number {
    const since = now() - windowMs;
    const first = answers.findIndex((at) => at > since);
    answers = first === -1 ? [] : answers.slice(first);
    const soFar = Math.min(windowMs, Math.max(now() - (began ?? now()), windowMs / 10));
    return (answers.length * windowMs) / soFar;
  }

  function perSecond(): number | undefined {
    return slowed && slowed.perSecond * growth ** ((now() - slowed.at) / 1000);
  }

  function slowDown(): void {
    const most = perSecond() ?? Number.POSITIVE_INFINITY;
    slowed = { at: now(), perSecond: Math.max(leastPerSecond, Math.min(most, share * lately())) };
  }

  function note(isRefusal: boolean): void {
    began ??= now();
    refusals.push(isRefusal);
    if (refusals.length > 10 * ofAnswers) refusals = refusals.slice(-ofAnswers);
  }

  const areMany = () => refusals.slice(-ofAnswers).filter(Boolean).length >= often;

  /** What a few refusals for coming too fast tell: going slower helps, or has not helped. */
  function learnFromFew(): void {
    const pace = lately();
    if (pace >= inVain * fewAt) {
      fewAt = Math.max(fewAt, pace);
      return;
    }
    isInVain = true;
    slowed = { at: now(), perSecond: fewAt };
  }

  return {
    get perSecond() {
      return perSecond();
    },
    answered() {
      note(false);
      answers.push(now());
      // Whoever never refuses is not counted for long.
      if (answers.length > 10_000) lately();
    },
    refused(overload) {
      note(true);
      if (areMany()) {
        isInVain = false;
        fewAt = 0;
        slowDown();
        return;
      }
      if (overload === "unavailable" || isInVain) return;
      learnFromFew();
      if (!isInVain) slowDown();
    },
  };
}
