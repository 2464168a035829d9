import type { PackageName } from "../../../proto/rpcs.ts";
import type { CaseResult } from "../../case/result.ts";

/** A key the target file lacks. */
export interface MissingKey {
  /** `alpha.secondWorkspace`. */
  readonly key: string;
  /** What it is for; several where cases want different things of it. */
  readonly reasons: readonly string[];
  /** Cases that wait for it. They may wait for another besides. */
  readonly cases: number;
  /** RPCs those cases are about. */
  readonly rpcs: number;
}

/** What a target file lets the suite do. */
export interface Diagnosis {
  readonly cases: number;
  readonly exercised: number;
  readonly packages: readonly { readonly package: string; readonly cases: number; readonly exercised: number }[];
  /** The one that adds most first. */
  readonly missing: readonly MissingKey[];
  /** RPCs that no case gets to. */
  readonly untouched: readonly string[];
  /** Cases the rehearsal came to an error in: Hallmark's own fault. */
  readonly failed: readonly string[];
}

const lack = /^needs (\S+) in the target file: (.*)$/s;
const baseUrlKeys: Readonly<Record<PackageName, string>> = { "alpha.v1": "alpha.baseUrl", "beta.v1": "beta.baseUrl" };

/**
 * Reads the results of a rehearsal.
 * @param unjudged packages the target file gives no base URL of, with the cases there are about each
 */
export function diagnose(
  results: readonly CaseResult[],
  unjudged: readonly (readonly [PackageName, number])[],
): Diagnosis {
  const unmet = results.flatMap((result) => {
    const [, key, reason] = result.outcome === "not-exercised" ? (lack.exec(result.reason ?? "") ?? []) : [];
    return key === undefined || reason === undefined ? [] : [{ key, reason, rpc: result.rpc }];
  });
  const missing = [...Map.groupBy(unmet, ({ key }) => key)].map(
    ([key, of]): MissingKey => ({
      key,
      reasons: [...new Set(of.map(({ reason }) => reason))].sort(),
      cases: of.length,
      rpcs: new Set(of.map(({ rpc }) => rpc)).size,
    }),
  );
  const whole = unjudged.map(
    ([name, cases]): MissingKey => ({
      key: baseUrlKeys[name],
      reasons: [`where ${name} answers; without it that package is not judged`],
      cases,
      rpcs: 0,
    }),
  );
  const exercised = results.filter(({ outcome }) => outcome !== "not-exercised");
  const touched = new Set(exercised.map(({ rpc }) => rpc));
  const packages = Map.groupBy(results, ({ rpc }) => rpc.slice(0, rpc.lastIndexOf(".")));
  return {
    cases: results.length,
    exercised: exercised.length,
    packages: [...packages].map(([name, of]) => ({
      package: name,
      cases: of.length,
      exercised: of.filter(({ outcome }) => outcome !== "not-exercised").length,
    })),
    missing: [...missing, ...whole].sort((a, b) => b.cases - a.cases || (a.key < b.key ? -1 : 1)),
    untouched: [...new Set(results.map(({ rpc }) => rpc))].filter((rpc) => !touched.has(rpc)).sort(),
    failed: results.flatMap(({ id, rpc, outcome, reason }) =>
      outcome === "error" ? [`${id} on ${rpc}: ${reason ?? ""}`] : [],
    ),
  };
}
