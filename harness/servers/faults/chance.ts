import type { Context, World } from "../reference/core/context.ts";

/**
 * True with a probability, for a server that does wrong only sometimes where no context of a call is at hand. The
 * numbers are the same in every process, and go on from one use of the fault to the next.
 */
export function createChance(probability: number): () => boolean {
  let state = 1;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 < probability;
  };
}

/** True for a share of the calls, as the seed of the reference decides. */
export function isAmong<W extends World>({ world }: Context<W>, share: number): boolean {
  return world.random.uint32() < share * 2 ** 32;
}
