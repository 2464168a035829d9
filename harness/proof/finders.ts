import { packageNames } from "../../proto/rpcs.ts";
import type { Case } from "../case/case.ts";
import { planInstances } from "../case/plan.ts";
import type { ProofSummary } from "./summary.ts";

/** Faults found on each RPC a case is put to, from which it is worth putting first. */
const leastFaults = 5;

/**
 * Ids of the cases that found most faults for each RPC they are put to, the best first: an RPC's case takes a few requests,
 * so that these find most in little time. What is proved no longer, or is concluded and not put, is left out.
 */
export function findersOf(foundBy: ProofSummary["foundBy"], cases: readonly Case[]): readonly string[] {
  const instances = Map.groupBy(planInstances(cases, packageNames), (one) => one.case.id as string);
  const found = Map.groupBy(Object.entries(foundBy), ([hint]) => hint.split(" ")[0] ?? "");
  return [...found]
    .map(([id, hints]) => {
      const put = (instances.get(id) ?? []).filter((one) => one.case.kind !== "invariant").length;
      return { id, rate: put === 0 ? 0 : hints.reduce((sum, [, faults]) => sum + faults.length, 0) / put };
    })
    .filter(({ rate }) => rate >= leastFaults)
    .toSorted((a, b) => b.rate - a.rate || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}
