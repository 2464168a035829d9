import { isLeftOpen } from "../harness/case/left-open.ts";
import type { CaseResult, Depth, Outcome, Results, RpcResult, Tally, Verdict } from "../harness/case/result.ts";
import { type Entry, entriesOf, type Warning, warningsOf } from "./entries.ts";
import { byText } from "./order.ts";

/** Options of a run that change what its results come to. */
export interface Strictness {
  /** A broken `should` clause gates as well. */
  readonly strict?: boolean;
  /** A case that was not exercised gates as well. */
  readonly requireComplete?: boolean;
}

/** What a verdict is given by. */
export interface RollUpOptions extends Pick<Strictness, "strict"> {
  /** How much was asked: smoke calls nothing conformant. Default standard. */
  readonly depth?: Depth;
}

/**
 * The result of every RPC in scope, sorted by name. An RPC outside the scope is added where a case is about it or
 * a finding names it: a breach is never dropped.
 */
export function rollUp(
  cases: readonly CaseResult[],
  rpcsInScope: readonly string[],
  options: RollUpOptions = {},
): RpcResult[] {
  const entries = Map.groupBy(cases.flatMap(entriesOf), (entry) => entry.rpc);
  const warnings = Map.groupBy(cases.flatMap(warningsOf), (warning) => warning.finding.rpc);
  const names = new Set([...rpcsInScope, ...entries.keys(), ...warnings.keys()]);
  return [...names].sort(byText).map((rpc) => rollUpRpc(rpc, entries.get(rpc) ?? [], warnings.get(rpc) ?? [], options));
}

function rollUpRpc(
  rpc: string,
  entries: readonly Entry[],
  warnings: readonly Warning[],
  { strict = false, depth = "standard" }: RollUpOptions,
): RpcResult {
  const tally = tallyOf(entries.map((entry) => entry.outcome));
  const chosen = entries.filter((entry) => isLeftOpen({ ...entry.case, outcome: entry.outcome })).length;
  // As they are listed: two rules of one clause are two things to see to.
  const broken = new Set(warnings.map(({ finding: { clause, rule } }) => JSON.stringify([clause, rule])));
  const areas = Map.groupBy(entries, (entry) => entry.case.area);
  return {
    rpc,
    verdict: verdictOf(tally, chosen, strict ? broken.size : 0, depth),
    warnings: broken.size,
    held: tally.held,
    violated: tally.violated,
    unproven: tally.unproven,
    notExercised: tally["not-exercised"],
    areas: Object.fromEntries(
      [...areas]
        .sort(([a], [b]) => byText(a, b))
        .map(([area, of]) => [area, tallyOf(of.map((entry) => entry.outcome))]),
    ),
  };
}

/**
 * Conformant takes positive evidence: at least one case held, none left open but by what the target chose, and more asked than
 * smoke does.
 */
function verdictOf(tally: Tally, chosen: number, gatingWarnings: number, depth: Depth): Verdict {
  if (tally.violated > 0 || gatingWarnings > 0) return "non-conformant";
  const open = tally.unproven + tally["not-exercised"] - chosen + tally.error;
  return open > 0 || tally.held === 0 || depth === "smoke" ? "incomplete" : "conformant";
}

/** Counts outcomes. */
export function tallyOf(outcomes: Iterable<Outcome>): Tally {
  const tally = { held: 0, violated: 0, unproven: 0, "not-exercised": 0, error: 0 };
  for (const outcome of outcomes) tally[outcome] += 1;
  return tally;
}

/** The summary of a run; `exchanges` is how many were made, evidence kept or not. */
export function summarise(
  cases: readonly CaseResult[],
  rpcs: readonly RpcResult[],
  exchanges: number,
): Results["summary"] {
  const having = (verdict: Verdict) => rpcs.filter((rpc) => rpc.verdict === verdict).length;
  return {
    ...tallyOf(cases.map((result) => result.outcome)),
    cases: cases.length,
    warnings: rpcs.reduce((sum, rpc) => sum + rpc.warnings, 0),
    exchanges,
    rpcs: {
      conformant: having("conformant"),
      "non-conformant": having("non-conformant"),
      incomplete: having("incomplete"),
    },
  };
}

/** Whether a case was not exercised for another reason than what the target chose, or an RPC is incomplete. */
export function isIncomplete({ cases, summary }: Results): boolean {
  return summary.rpcs.incomplete > 0 || cases.some((one) => one.outcome === "not-exercised" && !isLeftOpen(one));
}

/**
 * The exit code a finished run ends with: 0 everything exercised held and at least one case ran, 1 violated or
 * unproven (or what the options add), 4 Hallmark's own error.
 */
export function exitCode(results: Results, { strict = false, requireComplete = false }: Strictness = {}): 0 | 1 | 4 {
  const { summary } = results;
  if (summary.error > 0) return 4;
  if (summary.violated > 0 || summary.rpcs["non-conformant"] > 0) return 1;
  if (summary.unproven > 0 || summary.held === 0) return 1;
  if (requireComplete && isIncomplete(results)) return 1;
  if (strict && summary.warnings > 0) return 1;
  return 0;
}
