import { inPhases, type Phase } from "../case/phase.ts";
import { type Instance, isRunnable } from "../case/plan.ts";
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
export function openingOf<I extends Instance>(planned: readonly I[], best: readonly string[] = finders): readonly I[] {
  const known = new Set(best);
  return planned.slice(0, planned.findLastIndex(({ case: { id } }) => known.has(id)) + 1);
}

/** The cases that are put, in the order in which they are, and the phase of each. @param planned those that tell most first */
export function placeCases(planned: readonly Instance[]) {
  const opening = new Set<Instance>(openingOf(planned));
  const placed = inPhases(planned.filter(isRunnable), (instance) => opening.has(instance));
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
