import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface Blame {
  readonly finding: Pick<Finding, "clause" | "rpc" | "level" | "actual">;
  /** Id of the case and its RPC: one case that finds the same twice counts once. */
  readonly by: string;
}

/**
 * Clauses in the order in which one breach brings others with it: a reply of the wrong form fails whatever reads it, a
 * credential that is wrongly taken lets strangers in, and a call that is not served at all breaks everything. What
 * stands later is rather a consequence of what stands earlier; what is not named stands in the middle.
 */
const causes: readonly RegExp[] = [
  /^connect\.unary\.status$/,
  /^json\.reply\.|\.wire\./,
  /^connect\.(unary|error|whole|stream\.(?!truncated|request))/,
  /\.enums\.|\.digests\./,
  /\.auth\.(required|kinds|scope)$/,
  /\.auth\./,
  /\.secrets\.|\.credentials\./,
  /\.isolation\.(?!user|cursor)/,
  /\.isolation\.(?!cursor)/,
  /\.idempotency\.(?!stranger$|no-pretence$|replay$)/,
  /\.records\.(identity|filled)$/,
  /\.deletion\./,
  /\.versioning\.(carried|reads-keep)$/,
];
const consequences: readonly RegExp[] = [
  /\.filters\./,
  /\.paging\.(size|traversal)$/,
  /\.isolation\.cursor$/,
  /\.records\.(echo|agree)$/,
  /\.versioning\.expected$/,
  /\.versioning\./,
  /\.idempotency\./,
  /\.endpoints\.served$/,
  /^json\.request\.|^connect\.(request|stream)\.|\.paging\.shape$/,
];

/** Where a clause stands between cause and consequence: the lower, the rather a cause. */
function rankOf(clause: string): number {
  const cause = causes.findIndex((one) => one.test(clause));
  if (cause !== -1) return cause;
  const consequence = consequences.findIndex((one) => one.test(clause));
  return causes.length + 1 + consequence;
}

/** The case that asks an RPC nothing but to serve a valid call. */
const plainCall = "lifecycle/valid-call-is-served ";

/** How a finding shows what is not there. The app of the HTML report has this module in it: it imports nothing. */
const absent = "absent";

/** How much a finding says of its RPC: what has no other explanation says most, what often comes of a breach elsewhere little. */
function weightOf({ finding: { clause, actual }, by }: Blame): number {
  const rank = rankOf(clause);
  if (rank < causes.length) return 3;
  // Of two replies that differ, the one that lacks what the other shows is rather the wrong one.
  if (clause.endsWith(".records.agree")) return actual === absent ? 1.25 : 1;
  if (by.startsWith(plainCall)) return 1.5;
  return rank > causes.length + consequences.length - 2 || clause.endsWith(".versioning.expected") ? 0.5 : 1.5;
}

/** What counts once, however often it is found: a case, or that an RPC does not agree with others. */
function voiceOf({ finding: { clause }, by }: Blame): string {
  return clause.endsWith(".records.agree") ? clause : by;
}

/** How much is found at each RPC. */
function weigh(blames: readonly Blame[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const [rpc, ofRpc] of Map.groupBy(blames, ({ finding }) => finding.rpc)) {
    const voices = Map.groupBy(ofRpc, voiceOf);
    const heaviest = [...voices.values()].map((same) => Math.max(...same.map(weightOf)));
    total.set(
      rpc,
      heaviest.reduce((sum, weight) => sum + weight, 0),
    );
  }
  return total;
}

/**
 * The finding to begin with: of the RPC most is found at, the one that is least a consequence of the others; a warning
 * only where nothing gates. Undefined where nothing was found. It orders a report and decides no verdict.
 */
export function leadOf<T extends Blame>(blames: readonly T[]): T | undefined {
  const gating = blames.filter(({ finding }) => finding.level !== "should");
  const eligible = gating.length > 0 ? gating : blames;
  const weights = weigh(blames);
  const [rpc] = eligible
    .map(({ finding }) => finding.rpc)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  const own = eligible.filter(({ finding }) => finding.rpc === rpc);
  const voices = Map.groupBy(own, ({ finding }) => finding.clause);
  const heard = ({ finding }: Blame) => new Set(voices.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted((a, b) => rankOf(a.finding.clause) - rankOf(b.finding.clause) || heard(b) - heard(a))[0];
}
