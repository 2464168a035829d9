/**
 * A signal that aborts after so many milliseconds, or with the other one.
 *
 * A composite signal nobody listens to is forgotten when garbage is collected, timer and all: so somebody listens.
 */
export function abortAfter(ms: number, other: AbortSignal): AbortSignal {
  const signal = AbortSignal.any([other, AbortSignal.timeout(ms)]);
  signal.addEventListener("abort", () => {}, { once: true });
  return signal;
}

/**
 * What a promise comes to, within so many milliseconds.
 *
 * @param told the Error's message where it takes longer: a bound of its own should have ended it before
 */
export async function within<T>(ms: number, promise: Promise<T>, told: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(told)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What a promise comes to, at the latest so many milliseconds after a signal ends what it does.
 *
 * @param late what it fails with where it goes on for longer: it waits for something that no signal of its own ends
 */
export async function soonAfter<T>(signal: AbortSignal, ms: number, promise: Promise<T>, late: Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => {
    timer = setTimeout(() => reject(late), ms);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  try {
    return await Promise.race([promise, ended]);
  } finally {
    // A signal that lives on keeps what listens to it, and all that this knows. To let another signal end the listening costs an error.
    signal.removeEventListener("abort", end);
    clearTimeout(timer);
  }
}

/** Time that may be spent on waiting in all. */
export interface Allowance {
  /** Takes so many milliseconds from now on; takes nothing, and says false, where that is more than is left. */
  take(ms: number): boolean;
}

/** An allowance of so many milliseconds. Those who wait at the same time spend it once. */
export function createAllowance(totalMs: number): Allowance {
  let spentMs = 0;
  let until = 0;
  return {
    take(ms) {
      const now = performance.now();
      const more = Math.max(0, now + ms - Math.max(until, now));
      if (spentMs + more > totalMs) return false;
      spentMs += more;
      until = Math.max(until, now + ms);
      return true;
    },
  };
}
