import { areas } from "../harness/case/area.ts";
import type { Results } from "../harness/case/result.ts";

/** Compares by code unit, so that the order is the same on every machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Areas without repetition, in reading order; areas not known here come last, by name. */
export function orderAreas(found: Iterable<string>): readonly string[] {
  const known: readonly string[] = areas;
  const rank = (area: string) => {
    const place = known.indexOf(area);
    return place === -1 ? known.length : place;
  };
  return [...new Set(found)].sort((a, b) => rank(a) - rank(b) || byText(a, b));
}

/** The parts of an RPC's name: `alpha.v1.SecretService/GetSecret` → `alpha.v1`, `SecretService`, `GetSecret`. */
export interface RpcName {
  readonly package: string;
  readonly service: string;
  readonly method: string;
}

/** Splits an RPC's name; a name of another form stands whole as the method. */
export function splitRpc(rpc: string): RpcName {
  const match = /^(?:(.+)\.)?([^./]+)\/(.+)$/.exec(rpc);
  if (match === null) return { package: "", service: "", method: rpc };
  const [, packageName = "", service = "", method = ""] = match;
  return { package: packageName, service, method };
}

/** The same results in their one published order, so that two equal runs differ in nothing but times. */
export function sortResults(results: Results): Results {
  return {
    ...results,
    rpcs: results.rpcs.toSorted((a, b) => byText(a.rpc, b.rpc)),
    cases: results.cases.toSorted((a, b) => byText(a.rpc, b.rpc) || byText(a.id, b.id)),
    observations: results.observations.toSorted(
      (a, b) => byText(a.clause, b.clause) || byText(a.rpc, b.rpc) || byText(a.value, b.value),
    ),
    leftovers: results.leftovers.toSorted(byText),
  };
}
