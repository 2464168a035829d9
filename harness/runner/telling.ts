import { inPhases, type Phase } from "../case/phase.ts";
import type { Instance } from "../case/plan.ts";
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

/** The cases at the beginning of an order that failed before or find most: a red verdict is likeliest of them. */
export function openingOf(
  planned: readonly InstanceName[],
  best: readonly string[] = finders,
): readonly InstanceName[] {
  const known = new Set(best);
  return planned.slice(0, planned.findLastIndex(({ id }) => known.has(id)) + 1);
}

/** Cases in the order in which they are put, and the phase of each. @param planned their names, those that tell most first */
export function placeCases<I extends Instance>(planned: readonly InstanceName[], instances: readonly I[]) {
  const opening = new Set(openingOf(planned).map(nameInstance));
  const placed = inPhases(instances, ({ case: { id }, row }) => opening.has(nameInstance({ id, rpc: row.name })));
  const phases = new Map<Instance, Phase>(placed.map(({ instance, phase }) => [instance, phase]));
  return {
    runnable: placed.map(({ instance }) => instance),
    /** @throws Error where it is none of them */
    phaseOf(instance: Instance): Phase {
      const phase = phases.get(instance);
      if (phase === undefined) throw new Error(`${instance.case.id} is no case of this run`);
      return phase;
    },
  };
}
