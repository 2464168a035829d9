/** Cancels what it was returned for. Calling it twice is harmless. */
export type Cancel = () => void;

/** Where the reference reads the time and sets its timers. Times are milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Runs `run` once, `delayMs` from now. */
  after(delayMs: number, run: () => void): Cancel;
}

/** A clock whose timers can all be given up at once. */
export interface OwnedClock extends Clock {
  /** Resolves `delayMs` from now, or as soon as `signal` is aborted or the clock is closed. */
  pause(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Cancels every pending timer and ends every pause. Later timers never fire. */
  close(): void;
}

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /** Moves the time on, firing due timers in order and letting promise reactions run between them. */
  advance(byMs: number): Promise<void>;
}

/** The longest delay `setTimeout` takes; a longer one would fire at once. */
const longestDelay = 2 ** 31 - 1;

/** The computer's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), longestDelay));
    return () => clearTimeout(timer);
  },
};

/** A clock that starts at `startMs` and moves only by `advance`. */
export function createManualClock(startMs: number): ManualClock {
  let now = startMs;
  const timers = new Set<{ at: number; run: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + Math.max(delayMs, 0), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(byMs) {
      const until = now + byMs;
      await settle();
      for (;;) {
        const [due] = [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at);
        if (due === undefined) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.run();
        await settle();
      }
      now = until;
    },
  };
}

/** Wraps a clock so that everything set through it ends with `close`. */
export function ownClock(clock: Clock): OwnedClock {
  const pending = new Map<Cancel, () => void>();
  let closed = false;
  const set = (delayMs: number, run: () => void, given: () => void): Cancel => {
    if (closed) {
      given();
      return () => {};
    }
    const stop = clock.after(delayMs, () => {
      pending.delete(cancel);
      run();
    });
    const cancel: Cancel = () => {
      if (pending.delete(cancel)) stop();
    };
    pending.set(cancel, given);
    return cancel;
  };
  return {
    now: () => clock.now(),
    after: (delayMs, run) => set(delayMs, run, () => {}),
    pause(delayMs, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const finish = () => {
          cancel();
          signal?.removeEventListener("abort", finish);
          resolve();
        };
        const cancel = set(delayMs, finish, resolve);
        signal?.addEventListener("abort", finish, { once: true });
      });
    },
    close() {
      closed = true;
      for (const [cancel, given] of [...pending]) {
        cancel();
        given();
      }
    },
  };
}
