/** Lengths of time in nanoseconds, the unit of instants as `instantOf` reads them. */
export const millisecond = 1_000_000n;
export const second = 1000n * millisecond;
export const minute = 60n * second;

/** An instant, or a length of time, in whole milliseconds. */
export function inMilliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / millisecond);
}

/** An instant of so many milliseconds since 1970, in nanoseconds. */
export function fromMilliseconds(milliseconds: number): bigint {
  return BigInt(milliseconds) * millisecond;
}
