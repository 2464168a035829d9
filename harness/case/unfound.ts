import { type AttributedFinding, isRefusal, serviceOf } from "./attributed-finding.ts";

const isNotFound = ({ finding: { actual } }: AttributedFinding) => /RESOURCE_NOT_FOUND|\bnot_found\b/.test(actual);

/** True of a creation that names what it made by an id under which nothing is found. */
const isMisnamed = (one: AttributedFinding) =>
  one.finding.clause.endsWith(".records.agree") &&
  one.finding.expected.endsWith(" to be read as the reply names it") &&
  isRefusal(one);

/** As many other RPCs find nothing, at least: where a reading alone finds nothing, that is what is wrong. */
const fewest = 2;

/** Creations whose records no other RPC finds under the id that they name, by their services. */
export function unfoundIn(findings: readonly AttributedFinding[]): ReadonlyMap<string, string> {
  const missing = Map.groupBy(
    findings.filter((one) => isRefusal(one) && isNotFound(one) && !isMisnamed(one)),
    serviceOf,
  );
  const isMissedByOthers = (one: AttributedFinding) => {
    const rpcs = new Set(missing.get(serviceOf(one))?.map(({ finding }) => finding.rpc));
    rpcs.delete(one.finding.rpc);
    return rpcs.size >= fewest;
  };
  return new Map(
    findings.filter((one) => isMisnamed(one) && isMissedByOthers(one)).map((one) => [serviceOf(one), one.finding.rpc]),
  );
}

/** True of what is not found, or not shown, where the creation names what nobody finds. */
export function isOfUnfound(one: AttributedFinding, unfound: ReadonlyMap<string, string>): boolean {
  const creation = unfound.get(serviceOf(one));
  if (creation === undefined || creation === one.finding.rpc) return false;
  return (
    isNotFound(one) ||
    /^absent\b|^0 times\b|^no page shows it$|^it is not( there)?$|\bfound no |\bis gone$/.test(one.finding.actual)
  );
}
