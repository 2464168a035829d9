import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface Blame {
  readonly finding: Pick<Finding, "clause" | "rpc">;
  /** Case and its RPC: one case that finds the same twice counts once. */
  readonly by: string;
}

/**
 * Clauses in the order in which one breach brings others with it: a reply of the wrong form fails whatever reads it, a
 * credential that is wrongly taken lets strangers in, and a call that is not served at all breaks everything. What
 * stands later is rather a consequence of what stands earlier; what is not named stands in the middle.
 */
const causes: readonly RegExp[] = [
  /^connect\.(unary\.status|error\.not-200)$/,
  /^json\.reply\.|\.wire\./,
  /^connect\.(unary|error|stream|whole)/,
  /\.enums\.|\.digests\./,
  /\.auth\.(required|kinds|scope)$/,
  /\.auth\./,
  /\.secrets\.|\.credentials\./,
  /\.isolation\.(?!user)/,
  /\.isolation\./,
  /\.idempotency\.(?!stranger$|no-pretence$|replay$)/,
  /\.records\.(identity|filled)$/,
  /\.deletion\./,
  /\.versioning\.reads-keep$/,
];
const consequences: readonly RegExp[] = [
  /\.filters\./,
  /\.paging\.(size|traversal)$/,
  /\.records\.(echo|agree)$/,
  /\.versioning\./,
  /\.idempotency\./,
  /\.endpoints\.served$/,
  /^json\.request\.|^connect\.request\.|\.paging\.shape$/,
];

/** Where a clause stands between cause and consequence: the lower, the rather a cause. */
function rankOf(clause: string): number {
  const cause = causes.findIndex((one) => one.test(clause));
  if (cause !== -1) return cause;
  const consequence = consequences.findIndex((one) => one.test(clause));
  return causes.length + 1 + consequence;
}

/** How much a finding says of its RPC: what has no other explanation says most, what often comes of a breach elsewhere little. */
function weightOf(clause: string): number {
  const rank = rankOf(clause);
  if (rank < causes.length) return 3;
  if (clause.endsWith(".records.agree")) return 1;
  return rank > causes.length + consequences.length - 2 || clause.endsWith(".versioning.expected") ? 0.5 : 1.5;
}

/**
 * The finding to begin with: of the RPC most is found at, the one that is least a consequence of the others. Undefined
 * where nothing was found. It orders a report and decides no verdict.
 */
export function leadOf<T extends Blame>(blames: readonly T[]): T | undefined {
  const weights = new Map<string, Map<string, number>>();
  for (const { finding, by } of blames) {
    const ofRpc = weights.get(finding.rpc) ?? new Map<string, number>();
    weights.set(finding.rpc, ofRpc);
    ofRpc.set(by, Math.max(ofRpc.get(by) ?? 0, weightOf(finding.clause)));
  }
  const total = (rpc: string) => [...(weights.get(rpc)?.values() ?? [])].reduce((sum, weight) => sum + weight, 0);
  const [rpc] = [...weights.keys()].sort((a, b) => total(b) - total(a));
  const own = blames.filter(({ finding }) => finding.rpc === rpc);
  const voices = Map.groupBy(own, ({ finding }) => finding.clause);
  const heard = ({ finding }: Blame) => new Set(voices.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted((a, b) => rankOf(a.finding.clause) - rankOf(b.finding.clause) || heard(b) - heard(a))[0];
}
