import type { Observation } from "../harness/case/result.ts";
import { byText } from "./order.ts";

/** One choice on one open clause, with the RPCs it was seen on. */
export interface ObservationGroup {
  readonly clause: string;
  readonly value: string;
  readonly rpcs: readonly string[];
}

/** Observations by clause and value, sorted; an RPC is named once per group. */
export function groupObservations(observations: readonly Observation[]): readonly ObservationGroup[] {
  const groups = Map.groupBy(observations, ({ clause, value }) => JSON.stringify([clause, value]));
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const rpcs = [...new Set([first, ...others].map(({ rpc }) => rpc))].sort(byText);
      return [{ clause: first.clause, value: first.value, rpcs }];
    })
    .sort((a, b) => byText(a.clause, b.clause) || byText(a.value, b.value));
}
