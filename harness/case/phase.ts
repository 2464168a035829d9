import type { PackageName } from "../../proto/rpcs.ts";
import type { Instance } from "./plan.ts";

/**
 * When a case is put. A job or run that ends is delivered to every endpoint there is, so that many of both at once would
 * make thousands of deliveries that nobody asked for:
 * - `opening`: work that tells most, ahead of a package's deliveries where these come before its work;
 * - `work`: anything, with no endpoint about;
 * - `endpoints`: cases about endpoints, while no job or run is made;
 * - `deliveries`: cases that need both, a few at a time.
 */
export type Phase = "opening" | "work" | "endpoints" | "deliveries";

/** A case to be put, and when. */
export interface Placed<I extends Instance> {
  readonly instance: I;
  readonly phase: Phase;
}

/** Kinds of resources that live only as long as their phase: what ends later would be delivered to them. */
export function livesForItsPhase(kind: string): boolean {
  return ["webhook_endpoint", "webhook_delivery"].includes(kind.replace(/:.*$/, ""));
}

/** The phase that a case belongs to by its RPC, or by what it says itself. */
function ownPhase({ case: one, row, area }: Instance): Phase {
  if (area === "events" || row.subject === "webhook_delivery" || one.aboutDeliveries === true) return "deliveries";
  return row.subject === "webhook_endpoint" ? "endpoints" : "work";
}

/** The package whose few deliveries are waited for while the other's work is done, where a run is about both; and its phases. */
const deliversFirst: PackageName = "beta.v1";
const deliveriesFirst: readonly Phase[] = ["opening", "deliveries", "endpoints", "work"];

/** How much longer a case of a phase takes than others, roughly. */
const weights: Readonly<Record<Phase, number>> = { opening: 1, work: 1, endpoints: 1, deliveries: 8 };

/**
 * Instances in the order in which they are put: each package's phase by phase, the packages side by side. Phases come in the
 * order of their first instances. In a phase come those that open the run, then those that wait, then all others.
 *
 * @param instances those that tell most first
 * @param opens whether an instance opens the run, as it tells much; one that waits for time to pass keeps its place
 */
export function inPhases<I extends Instance>(
  instances: readonly I[],
  opens: (instance: I) => boolean = () => false,
): readonly Placed<I>[] {
  const packages = Map.groupBy(instances, ({ row }) => row.package);
  const placed = [...packages].flatMap(([packageName, own]) => {
    const isApart = packages.size > 1 && packageName === deliversFirst;
    const named = own.map((instance) => {
      const phase = ownPhase(instance);
      const waits = instance.case.waits === true;
      const isFirst = !waits && opens(instance);
      const place = isFirst ? 0 : 2 - Number(waits);
      return { instance, phase: isApart && isFirst && phase === "work" ? "opening" : phase, place } as const;
    });
    const order = isApart ? deliveriesFirst : [...new Set(named.map(({ phase }) => phase))];
    const sorted = named.toSorted((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || a.place - b.place);
    const total = sorted.reduce((sum, { phase }) => sum + weights[phase], 0);
    let done = 0;
    return sorted.map(({ instance, phase }) => {
      done += weights[phase];
      return { instance, phase, at: done / total };
    });
  });
  return placed.toSorted((a, b) => a.at - b.at);
}
