import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface AttributedFinding {
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
  /^json\.reply\.|\.wire\.(?!json-documents)/,
  /^connect\.(unary|error|whole|stream\.(?!truncated|request))/,
  /\.enums\.|\.digests\.|\.wire\./,
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
  /\.paging\.(size|traversal)$/,
  /\.filters\./,
  /\.isolation\.cursor$/,
  /\.records\.(echo|agree)$/,
  /\.versioning\.expected$/,
  /\.versioning\./,
  /\.idempotency\./,
];
/** Consequences that most breaches have: alone they say little of their RPC. */
const faint: readonly RegExp[] = [
  /\.endpoints\.served$/,
  /\.paging\.shape$/,
  /^json\.request\.|^connect\.(request|stream)\./,
];

/** Where a clause stands between cause and consequence: the lower, the rather a cause. */
function rankOf(clause: string): number {
  const cause = causes.findIndex((one) => one.test(clause));
  if (cause !== -1) return cause;
  const consequence = [...consequences, ...faint].findIndex((one) => one.test(clause));
  return causes.length + 1 + consequence;
}

/** The case that asks an RPC nothing but to serve a valid call. */
const plainCall = "lifecycle/valid-call-is-served ";

const disagrees = ({ finding: { clause } }: AttributedFinding) => clause.endsWith(".records.agree");

/** How much of a field a reply shows that is told to disagree: the length of its text, 0 where it is not there. */
function shownIn({ finding: { actual } }: AttributedFinding): number {
  // The app of the HTML report has this module in it: it imports nothing, so that the word stands here again.
  return actual === "absent" ? 0 : actual.length;
}

/**
 * How much a finding says of its RPC: what has no other explanation says most, what often comes of a breach elsewhere
 * little. Of replies that disagree the one that shows `least` is rather the wrong one: it lacks what others show.
 */
function weightOf(blame: AttributedFinding, least: number): number {
  const { clause } = blame.finding;
  if (rankOf(clause) < causes.length) return 3;
  if (disagrees(blame)) return shownIn(blame) === least ? 1.25 : 1;
  if (blame.by.startsWith(plainCall)) return 1.5;
  return clause.endsWith(".versioning.expected") || faint.some((one) => one.test(clause)) ? 0.5 : 1.5;
}

/** What counts once, however often it is found: a case, or that an RPC does not agree with others. */
function voiceOf(blame: AttributedFinding): string {
  return disagrees(blame) ? blame.finding.clause : blame.by;
}

/** How much is found at each RPC. */
function weigh(blames: readonly AttributedFinding[]): Map<string, number> {
  const total = new Map<string, number>();
  const least = Math.min(...blames.filter(disagrees).map(shownIn));
  for (const [rpc, ofRpc] of Map.groupBy(blames, ({ finding }) => finding.rpc)) {
    const voices = Map.groupBy(ofRpc, voiceOf);
    const heaviest = [...voices.values()].map((same) => Math.max(...same.map((blame) => weightOf(blame, least))));
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
export function rootCauseOf<T extends AttributedFinding>(blames: readonly T[]): T | undefined {
  const gating = blames.filter(({ finding }) => finding.level !== "should");
  const eligible = gating.length > 0 ? gating : blames;
  const weights = weigh(blames);
  const [rpc] = eligible
    .map(({ finding }) => finding.rpc)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  const own = eligible.filter(({ finding }) => finding.rpc === rpc);
  const voices = Map.groupBy(own, ({ finding }) => finding.clause);
  const heard = ({ finding }: AttributedFinding) => new Set(voices.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted((a, b) => rankOf(a.finding.clause) - rankOf(b.finding.clause) || heard(b) - heard(a))[0];
}
