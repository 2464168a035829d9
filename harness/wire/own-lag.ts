/** How late this thread's event loop comes to what is due: as late are its readings of how long others took. */
export interface OwnLag {
  /** Milliseconds of lateness so far; the difference of two readings is the lateness between them. */
  readonly totalMs: number;
  stop(): void;
}

/** How often it looks, in milliseconds. */
const beatMs = 10;

/** Begins to measure. It keeps no process alive. */
export function measureOwnLag(now: () => number = () => performance.now(), every = setInterval): OwnLag {
  let beatAt = now();
  let lateMs = 0;
  /** What the look that is due now is late already. */
  const overdue = () => Math.max(0, now() - beatAt - beatMs);
  const beat = every(() => {
    lateMs += overdue();
    beatAt = now();
  }, beatMs);
  beat.unref();
  return {
    get totalMs() {
      return lateMs + overdue();
    },
    stop: () => clearInterval(beat),
  };
}
