import type { Random } from "./random.ts";

/** A random sample without replacement: at most `count` of the items, in their own order; all where there are no more. */
export function sampleOf<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const remaining = items.map((_, index) => index);
  const chosen = new Set<number>();
  while (remaining.length > 0 && chosen.size < count) {
    for (const index of remaining.splice(random.integer(0, remaining.length - 1), 1)) chosen.add(index);
  }
  return items.filter((_, index) => chosen.has(index));
}
