import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface AttributedFinding {
  readonly finding: Pick<Finding, "clause" | "rpc" | "level" | "actual">;
  /** Id of the case and its RPC: one case that finds the same twice counts once. */
  readonly by: string;
}

/**
 * Clauses whose breach causes others, strongest first: a reply of the wrong form fails every case that reads it, and a
 * credential that is wrongly accepted serves callers that must be refused. Clauses in neither list rank between the two.
 */
const causes: readonly RegExp[] = [
  /^connect\.unary\.status$/,
  /^json\.reply\.|\.wire\.(?!json-documents)/,
  /^connect\.(unary|error|whole|stream\.(?!truncated|request))/,
  /\.enums\.|\.digests\.|\.wire\./,
  /\.auth\.(required|kinds|scope)$/,
  /\.auth\./,
  /\.secrets\.|\.credentials\./,
  /\.isolation\.(?!user|cursor)/,
  /\.isolation\.(?!cursor)/,
  /\.idempotency\.(?!unauthorized-replay$|changed-request$)/,
  /\.records\.(identity|filled)$/,
  /\.deletion\./,
  /\.versioning\.(carried|reads-keep)$/,
];
/** Clauses whose breach mostly follows from another, likeliest cause first. */
const consequences: readonly RegExp[] = [
  /\.paging\.(size|traversal)$/,
  /\.filters\./,
  /\.isolation\.cursor$/,
  /\.records\.(echo|agree)$/,
  /\.versioning\.expected$/,
  /\.versioning\./,
  /\.idempotency\./,
];
/** Consequences of most breaches: alone they are weak evidence against their RPC. */
const weak: readonly RegExp[] = [
  /\.endpoints\.served$/,
  /\.paging\.shape$/,
  /^json\.request\.|^connect\.(request|stream)\./,
];

/** Where a clause ranks between cause and consequence: the lower, the likelier a cause. */
function rankOf(clause: string): number {
  const cause = causes.findIndex((one) => one.test(clause));
  if (cause !== -1) return cause;
  const consequence = [...consequences, ...weak].findIndex((one) => one.test(clause));
  return causes.length + 1 + consequence;
}

/** The case that only asks an RPC to serve a valid call. */
const plainCall = "lifecycle/valid-call-is-served ";

const disagrees = ({ finding: { clause } }: AttributedFinding) => clause.endsWith(".records.agree");

/** Of a reply found to disagree with another: the length of the text it shows, 0 where the field is absent. */
function shownIn({ finding: { actual } }: AttributedFinding): number {
  // The HTML report includes this module, which therefore imports nothing; so the word is written out here again.
  return actual === "absent" ? 0 : actual.length;
}

/**
 * How strongly a finding points at its RPC: most where nothing else explains it, little where it often follows from a
 * breach elsewhere. Of replies that disagree, the one that shows `least` is likelier wrong: it lacks what others show.
 */
function weightOf(one: AttributedFinding, least: number): number {
  const { clause } = one.finding;
  if (rankOf(clause) < causes.length) return 3;
  if (disagrees(one)) return shownIn(one) === least ? 1.25 : 1;
  if (one.by.startsWith(plainCall)) return 1.5;
  return clause.endsWith(".versioning.expected") || weak.some((pattern) => pattern.test(clause)) ? 0.5 : 1.5;
}

/** What counts once, however often it is found: a case, or that an RPC disagrees with others. */
function sourceOf(one: AttributedFinding): string {
  return disagrees(one) ? one.finding.clause : one.by;
}

/** The evidence against each RPC. */
function weigh(findings: readonly AttributedFinding[]): Map<string, number> {
  const total = new Map<string, number>();
  const least = Math.min(...findings.filter(disagrees).map(shownIn));
  for (const [rpc, ofRpc] of Map.groupBy(findings, ({ finding }) => finding.rpc)) {
    const sources = Map.groupBy(ofRpc, sourceOf);
    const heaviest = [...sources.values()].map((same) => Math.max(...same.map((one) => weightOf(one, least))));
    total.set(
      rpc,
      heaviest.reduce((sum, weight) => sum + weight, 0),
    );
  }
  return total;
}

/**
 * The finding a report begins with: at the RPC with the most evidence against it, the finding that is likeliest a cause
 * of the others; a warning only where nothing gates. Undefined where nothing was found. It decides no verdict.
 */
export function rootCauseOf<T extends AttributedFinding>(findings: readonly T[]): T | undefined {
  const gating = findings.filter(({ finding }) => finding.level !== "should");
  const eligible = gating.length > 0 ? gating : findings;
  const weights = weigh(findings);
  const [rpc] = eligible
    .map(({ finding }) => finding.rpc)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  const own = eligible.filter(({ finding }) => finding.rpc === rpc);
  const ofClause = Map.groupBy(own, ({ finding }) => finding.clause);
  const casesOf = ({ finding }: AttributedFinding) => new Set(ofClause.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted((a, b) => rankOf(a.finding.clause) - rankOf(b.finding.clause) || casesOf(b) - casesOf(a))[0];
}
