import type { Context, World } from "../reference/core/context.ts";

/** True for a share of the calls, as the seed of the reference decides. */
export function happens<W extends World>({ world }: Context<W>, share: number): boolean {
  return world.random.uint32() < share * 2 ** 32;
}
