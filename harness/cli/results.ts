import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rpcs } from "../../proto/rpcs.ts";
import { rollUp, summarise } from "../../reports/rollup.ts";
import type { Case } from "../case.ts";
import { planInstances } from "../case.ts";
import { createFilter, describeSelection } from "../plan.ts";
import type { CaseResult, Results, RunSummary } from "../result.ts";
import type { RunOrder } from "../run-order.ts";
import type { Target } from "../target/target.ts";

/** The version of this Hallmark. */
export function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

export interface Outcome {
  readonly order: RunOrder;
  readonly target: Target;
  readonly cases: readonly Case[];
  readonly results: readonly CaseResult[];
  readonly summary: RunSummary | undefined;
  readonly startedAt: Date;
  readonly strict: boolean;
}

/** Puts a run's results together: the roll-up per RPC, the counts, and whether it is complete. */
export function composeResults({ order, target, cases, results, summary, startedAt, strict }: Outcome): Results {
  const selection = describeSelection(order.selection);
  const select = createFilter(order.selection, cases);
  const planned = planInstances(cases, target.packages).filter(select);
  const inScope = new Set(
    selection.length === 0
      ? rpcs.filter((row) => target.packages.includes(row.package)).map((row) => row.name)
      : planned.map((instance) => instance.row.name),
  );
  const verdicts = rollUp(results, [...inScope], { strict });
  const { alpha, beta } = target.settings;
  return {
    format: "hallmark-results/1",
    tool: { name: "hallmark", version: readVersion(), contract: target.packages.join(", ") },
    target: {
      name: target.name,
      baseUrl: alpha?.baseUrl ?? beta?.baseUrl ?? "",
      ...(alpha?.testBaseUrl === undefined ? {} : { testBaseUrl: alpha.testBaseUrl }),
      ...(alpha?.baseUrl === undefined || beta?.baseUrl === undefined ? {} : { betaBaseUrl: beta.baseUrl }),
    },
    seed: order.seed,
    runs: order.runs,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    complete: selection.length === 0 && summary !== undefined && results.length === planned.length,
    selection,
    summary: summarise(results, verdicts, summary?.exchanges ?? 0),
    rpcs: verdicts,
    cases: results,
    observations: summary?.observations ?? [],
    leftovers: summary?.leftovers ?? [],
  };
}
