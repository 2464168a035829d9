import type { Random } from "./random.ts";

/** At most `count` of the items, drawn by the seed, in their own order. All of them where there are no more. */
export function drawSome<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const left = items.map((_, index) => index);
  const drawn = new Set<number>();
  while (left.length > 0 && drawn.size < count) {
    for (const index of left.splice(random.integer(0, left.length - 1), 1)) drawn.add(index);
  }
  return items.filter((_, index) => drawn.has(index));
}
