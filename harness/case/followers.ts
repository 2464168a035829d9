import type { AttributedFinding } from "./attributed-finding.ts";

/** True of a finding about what a call shows that changes nothing. */
export const isReading = ({ finding: { rpc } }: AttributedFinding) => /\/(Get|List)\w+$/.test(rpc);

/** The RPC that a case is about, of `case rpc`. */
export const aboutOf = ({ by }: AttributedFinding) => by.split(/[ #]/)[1] ?? "";

/** Of the cases that find a reading wrong so many, at least, are about one mutation: a scenario may meet it, too. */
const nearlyAll = 0.75;

/**
 * Readings that nearly all cases find wrong after one mutation, where that breaks a clause itself: a mutation that answers with what
 * it did not do makes readings differ from its answer, and a reading that is wrong differs from others as well.
 */
export function followersIn(findings: readonly AttributedFinding[]): ReadonlyMap<string, string> {
  const gating = new Set(
    findings.filter(({ finding }) => finding.level !== "should").map(({ finding }) => finding.rpc),
  );
  const found = findings.filter(isReading);
  const pairs = [...Map.groupBy(found, ({ finding }) => finding.rpc)].flatMap(([rpc, of]) => {
    const cases = [...new Map(of.map((one) => [one.by, aboutOf(one)])).values()];
    const [[mutation, about] = ["", []]] = [...Map.groupBy(cases, (name) => name)].toSorted(
      ([, a], [, b]) => b.length - a.length,
    );
    const isOne = about.length > 1 && about.length >= nearlyAll * cases.length;
    return isOne && mutation !== rpc && !/\/(Get|List|Watch)/.test(mutation) && gating.has(mutation)
      ? [[rpc, mutation] as const]
      : [];
  });
  return new Map(pairs);
}
