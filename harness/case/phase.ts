import type { PackageName } from "../../proto/rpcs.ts";
import type { Instance } from "./plan.ts";

/**
 * When a case is put. A job or run that ends is delivered to every endpoint there is, so that many of both at once would
 * make thousands of deliveries that nobody asked for:
 * - `work`: anything, with no endpoint about;
 * - `endpoints`: cases about endpoints, while no job or run is made;
 * - `deliveries`: cases that need both, a few at a time.
 */
export type Phase = "work" | "endpoints" | "deliveries";

/** Kinds of resources that live only as long as their phase: what ends later would be delivered to them. */
export function livesForItsPhase(kind: string): boolean {
  return ["webhook_endpoint", "webhook_delivery"].includes(kind.replace(/:.*$/, ""));
}

/** The phase of a case: as its RPC says, or the case itself. */
export function phaseOf({ case: one, row, area }: Instance): Phase {
  if (area === "events" || row.subject === "webhook_delivery" || one.aboutDeliveries === true) return "deliveries";
  return row.subject === "webhook_endpoint" ? "endpoints" : "work";
}

/** The order in which each package's phases come: while one package's few deliveries are waited for, the other's work is done. */
const orders: Readonly<Record<PackageName, readonly Phase[]>> = {
  "alpha.v1": ["work", "endpoints", "deliveries"],
  "beta.v1": ["deliveries", "endpoints", "work"],
};

/** How much longer a case of a phase takes than others, roughly. */
const weights: Readonly<Record<Phase, number>> = { work: 1, endpoints: 1, deliveries: 8 };

/** Instances in the order in which they are put: each package's phase by phase, those that wait first, the packages side by side. */
export function inPhases<I extends Instance>(instances: readonly I[]): readonly I[] {
  const placed = [...Map.groupBy(instances, ({ row }) => row.package)].flatMap(([packageName, own]) => {
    const order = orders[packageName];
    const sorted = own
      .map((instance) => ({ instance, phase: phaseOf(instance), place: instance.case.waits === true ? 0 : 1 }))
      .toSorted((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || a.place - b.place);
    const total = sorted.reduce((sum, { phase }) => sum + weights[phase], 0);
    let done = 0;
    return sorted.map(({ instance, phase }) => {
      done += weights[phase];
      return { instance, at: done / total };
    });
  });
  return placed.toSorted((a, b) => a.at - b.at).map(({ instance }) => instance);
}
