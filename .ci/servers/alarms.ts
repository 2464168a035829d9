import type { CaseResult } from "../../harness/case/result.ts";

/** What of a result is looked at. */
type Judged = Pick<CaseResult, "id" | "rpc" | "outcome" | "reason" | "findings">;

/**
 * What is wrong with a run on a server that keeps the contract, a line each: findings of any level, cases left unproven, and
 * Hallmark's own errors. That a case was not exercised, as the server chose otherwise or its target file lacks something, is
 * none.
 *
 * @param warned clauses whose warnings are right
 */
export function alarmsIn(results: readonly Judged[], warned: readonly string[]): readonly string[] {
  return results.flatMap(({ id, rpc, outcome, reason, findings }) => [
    ...findings
      .filter(({ level, clause }) => !(level === "should" && warned.includes(clause)))
      .map(
        ({ level, clause, expected, actual }) => `${level} ${clause} · ${id} · ${rpc}: expected ${expected}; ${actual}`,
      ),
    ...(outcome === "unproven" || outcome === "error" ? [`${outcome} ${id} · ${rpc}: ${reason}`] : []),
  ]);
}
