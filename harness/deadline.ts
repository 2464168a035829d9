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
