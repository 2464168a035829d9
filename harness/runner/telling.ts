import { type InstanceName, nameInstance } from "../case/shard.ts";
import { finders } from "./finders.gen.ts";

/**
 * Cases in the order in which they tell most: what failed before, then what found most faults when the suite was proved, then
 * all others as they come. What a case draws does not depend on its place.
 */
export function tellingFirst(
  planned: readonly InstanceName[],
  failedBefore: readonly InstanceName[],
  best: readonly string[] = finders,
): readonly InstanceName[] {
  const failed = new Set(failedBefore.map(nameInstance));
  const places = new Map(best.map((id, place) => [id, place]));
  const rank = (one: InstanceName) => (failed.has(nameInstance(one)) ? -1 : (places.get(one.id) ?? best.length));
  return planned.toSorted((a, b) => rank(a) - rank(b));
}
