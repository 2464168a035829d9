import type { CaseResult } from "../../harness/case/result.ts";
import type { Breach } from "./servers.ts";

/** What of a result is looked at. */
type Judged = Pick<CaseResult, "id" | "rpc" | "outcome" | "reason" | "findings">;

/**
 * What is wrong with a run on a server that keeps the contract, a line each: findings of any level, cases left unproven, and
 * Hallmark's own errors. That a case was not exercised, as the server chose otherwise or its target file lacks something, is
 * none.
 *
 * @param warned clauses whose warnings are right
 * @param broken what it is right to be failed for
 */
export function alarmsIn(
  results: readonly Judged[],
  warned: readonly string[],
  broken: readonly Breach[] = [],
): readonly string[] {
  const isRight = ({ clause, expected, actual }: CaseResult["findings"][number]) =>
    broken.some((breach) => breach.clause === clause && breach.actual.test(`${expected} ${actual}`));
  return results.flatMap(({ id, rpc, outcome, reason, findings }) => [
    ...findings
      .filter((finding) => !(finding.level === "should" && warned.includes(finding.clause)) && !isRight(finding))
      .map(
        ({ level, clause, expected, actual }) => `${level} ${clause} · ${id} · ${rpc}: expected ${expected}; ${actual}`,
      ),
    ...(outcome === "unproven" || outcome === "error" ? [`${outcome} ${id} · ${rpc}: ${reason}`] : []),
  ]);
}
