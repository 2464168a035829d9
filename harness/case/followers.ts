import { type AttributedFinding, aboutOf, isReading, on } from "./attributed-finding.ts";

/** Of the cases that find a reading wrong so many, at least, are about one mutation: others meet it on the way. */
const most = 0.5;

/**
 * Readings that most cases find wrong after one mutation, where that is served twice at one version: a mutation that answers with
 * what it did not do makes readings differ from its answer, and leaves the version where it was. A reading that is wrong does not.
 */
export function followersIn(findings: readonly AttributedFinding[]): ReadonlyMap<string, string> {
  const undone = new Set(findings.filter(on(/\.versioning\.one-winner$/)).map(({ finding }) => finding.rpc));
  const found = findings.filter(isReading);
  const pairs = [...Map.groupBy(found, ({ finding }) => finding.rpc)].flatMap(([rpc, of]) => {
    const cases = [...new Map(of.map((one) => [one.by, aboutOf(one)])).values()];
    const [[mutation, about] = ["", []]] = [...Map.groupBy(cases, (name) => name)].toSorted(
      ([, a], [, b]) => b.length - a.length,
    );
    const isOne = about.length > 1 && about.length >= most * cases.length;
    return isOne && mutation !== rpc && !/\/(Get|List|Watch)/.test(mutation) && undone.has(mutation)
      ? [[rpc, mutation] as const]
      : [];
  });
  return new Map(pairs);
}
