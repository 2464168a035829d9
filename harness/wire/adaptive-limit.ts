/** How a request went. */
export interface Sample {
  /** What was asked. */
  readonly key: string;
  /** How it ended: a refusal is often faster than what is served, so that only what ended alike is compared. */
  readonly status: number;
  /** How long the target took, in milliseconds: our own lateness left out. */
  readonly ms: number;
  /** Requests in flight when it was sent, itself included. */
  readonly inFlight: number;
}

/** How many requests may be in flight, by how the target takes them. */
export interface AdaptiveLimit {
  readonly permits: number;
  /** Notes a request that was answered. */
  note(sample: Sample): void;
  /** Notes that the target says it is too much. */
  overloaded(): void;
  /** Notes an answer so long that only few of its kind should be held at once. */
  heavy(): void;
  /** Notes that it did not answer in time: of what it never answered that says nothing. */
  timedOut(key: string): void;
  /** Whether it ever answered a request of a key. */
  everAnswered(key: string): boolean;
}

/** It starts so low, and goes no lower for mere slowness: races take a few calls at once. */
const startPermits = 8;
/** What an answer may take longer than the fastest of its kind, in milliseconds, before the target counts as slowed down. */
const slackMs = 100;
/** Answers it judges by at least. */
const windowSize = 8;
/** Silence alone, or long answers, bring it no lower: they may be about a few requests. */
const fewPermits = 4;
/** All that fails within so many milliseconds is one sign of overload. */
const coolMs = 200;

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Begins low: twice as much for each window of answers that come as fast as before, until they do not; from then on a
 * little more for each such window, a quarter less where answers slow down, and half where the target says so.
 *
 * @param max requests in flight at most, whatever the target bears
 */
export function createAdaptiveLimit(max: number, now: () => number = () => performance.now()): AdaptiveLimit {
  const floor = Math.min(max, startPermits);
  const fastest = new Map<string, number>();
  const answered = new Set<string>();
  let permits = floor;
  let isProbing = true;
  let window: { readonly excess: number; readonly usual: number }[] = [];
  let wasFull = false;
  let coolUntil = Number.NEGATIVE_INFINITY;

  function begin(next: number): void {
    permits = next;
    window = [];
    wasFull = false;
  }

  /** Halves the limit, once for all that fails at about the same time. */
  function halve(least: number): void {
    if (now() < coolUntil) return;
    coolUntil = now() + coolMs;
    isProbing = false;
    begin(Math.max(Math.min(permits, least), Math.floor(permits / 2)));
  }

  return {
    get permits() {
      return permits;
    },
    note({ key, status, ms, inFlight }) {
      answered.add(key);
      const kind = `${key} ${status}`;
      const usual = Math.min(ms, fastest.get(kind) ?? ms);
      fastest.set(kind, usual);
      window.push({ excess: ms - usual, usual });
      wasFull ||= inFlight >= permits;
      if (window.length < Math.max(windowSize, permits)) return;
      const isSlow =
        middleOf(window.map(({ excess }) => excess)) > Math.max(slackMs, middleOf(window.map(({ usual }) => usual)));
      if (isSlow) {
        isProbing = false;
        begin(Math.min(permits, Math.max(floor, Math.floor((permits * 3) / 4))));
      } else if (wasFull) {
        begin(Math.min(max, isProbing ? permits * 2 : permits + 2));
      } else begin(permits);
    },
    overloaded: () => halve(1),
    heavy: () => halve(fewPermits),
    timedOut(key) {
      if (answered.has(key)) halve(fewPermits);
    },
    everAnswered: (key) => answered.has(key),
  };
}
