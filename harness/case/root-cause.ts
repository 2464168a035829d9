import {
  type AttributedFinding,
  isOddOneOut,
  isPlain,
  isRefusal,
  isUnusable,
  on,
  type Place,
} from "./attributed-finding.ts";
import { isExplained, isMissing, type Known, knownOf } from "./explained.ts";

/** A valid call was answered, but not with what it is for: nothing else explains that. */
const answersWithout: Place = (one) => isPlain(one) && !isRefusal(one) && !isUnusable(one);

/** Findings about the form of replies, strongest first. */
const forms: readonly Place[] = [
  on(/^connect\.unary\.status$/),
  on(/^json\.reply\.|\.wire\.(?!json-documents)/),
  on(/^connect\.(unary|error|whole|stream\.(?!truncated|request))/),
  on(/\.enums\.|\.digests\.|\.payloads\.encoding$|\.wire\./),
];
/**
 * Findings that others come of, strongest first: a reply of the wrong form fails every case that reads it, and a
 * credential that is wrongly accepted serves callers that must be refused. What is in neither list ranks between the two.
 */
const causes: readonly Place[] = [
  ...forms,
  on(/\.auth\.(required|kinds|scope)$/),
  on(/\.auth\./),
  on(/\.secrets\.|\.credentials\./),
  on(/\.isolation\.(?!user|cursor)/),
  on(/\.isolation\.(?!cursor)/),
  on(/\.idempotency\.(?!unauthorized-replay$|changed-request$)/),
  // What a deletion names says better what its reply lacks.
  on(/\.deletion\.names$/),
  on(/\.records\.(identity|filled)$/),
  on(/\.deletion\./),
  on(/\.records\.untouched$/),
  on(/\.versioning\.(carried|reads-keep)$/),
];
/** Findings that mostly follow from another, likeliest cause first. */
const consequences: readonly Place[] = [
  on(/\.paging\.(size|traversal)$/),
  on(/\.filters\./),
  on(/\.isolation\.cursor$/),
  on(/\.records\.(echo|agree)$/),
  // Which of two times is wrong shows where a record is compared with another.
  on(/\.records\.(update-)?time(s)?$/),
  on(/\.webhooks\.(delivered|records|disabled)$/),
  // Who loses or repeats events is seen by their numbers, too.
  on(/\.watch\.(same-event|no-loss)$/),
  on(/\.versioning\.expected$/),
  on(/\.versioning\./),
  on(/\.idempotency\./),
];
/** Consequences of most breaches: alone they are weak evidence against their RPC. */
const weak: readonly Place[] = [
  on(/\.endpoints\.served$/),
  on(/\.paging\.shape$/),
  on(/^json\.request\.|^connect\.(request|stream)\./),
];

/** What ranks below all causes, likeliest cause first. */
const effects = [...consequences, ...weak];

/** A kind that is refused is refused with any scope, so that as many cases find its scope refused as find the kind. */
const isOfScope = on(/\.auth\.scope$/);

/** Where a finding ranks between cause and consequence: the lower, the likelier a cause. */
function rankOf(one: AttributedFinding, known: Known): number {
  if (isExplained(one, known)) return causes.length + 1 + effects.length;
  // The forms of replies say it better.
  if (isMissing(one, known)) return forms.length - 0.5;
  const cause = causes.findIndex((place) => place(one));
  if (cause !== -1) return cause;
  // A clause that is about what the answer lacks says it better than the plain call.
  if (answersWithout(one)) return causes.length + 0.5;
  return causes.length + 1 + effects.findIndex((place) => place(one));
}

/** A refusal that quotes what it could not read explains no other breach. */
const isAside = on(/\.secrets\.quoted$/);

const disagrees = ({ finding: { clause } }: AttributedFinding) => clause.endsWith(".records.agree");

/** Of a reply found to disagree with another: the length of the text it shows, 0 where the field is absent or at its default. */
function shownIn({ finding: { actual } }: AttributedFinding): number {
  // The HTML report includes this module: the word is written out again, as what defines it would come along.
  return /^(absent|0|""|"0"|\[\]|\{\}|false)$/.test(actual) ? 0 : actual.length;
}

/**
 * How strongly a finding points at its RPC: most where nothing else explains it, little where it often follows from a
 * breach elsewhere. Of replies that disagree, the one that contradicts several is likelier wrong; of two the one that shows
 * `least` is likelier wrong, and the one that shows what another lacks likelier right.
 */
function weightOf(one: AttributedFinding, least: number, known: Known): number {
  if (rankOf(one, known) < causes.length) return 3;
  if (isExplained(one, known)) return 0.25;
  if (disagrees(one) && isOddOneOut(one)) return 1.5;
  if (disagrees(one) && one.finding.expected.startsWith("absent, as ")) return 0.75;
  if (disagrees(one)) return shownIn(one) === least ? 1.25 : 1;
  if (isPlain(one)) return 1.5;
  // What a record says of its attempts follows from them.
  if (one.finding.clause.endsWith(".webhooks.records")) return 1;
  return one.finding.clause.endsWith(".versioning.expected") || weak.some((place) => place(one)) ? 0.5 : 1.5;
}

/** What counts once, however often it is found: a case, or that an RPC disagrees with others. */
function sourceOf(one: AttributedFinding): string {
  return disagrees(one) ? one.finding.clause : one.by;
}

/** The evidence against each RPC. */
function weigh(findings: readonly AttributedFinding[], known: Known): Map<string, number> {
  const total = new Map<string, number>();
  const least = Math.min(...findings.filter(disagrees).map(shownIn));
  for (const [rpc, ofRpc] of Map.groupBy(findings, ({ finding }) => finding.rpc)) {
    const sources = Map.groupBy(ofRpc, sourceOf);
    const heaviest = [...sources.values()].map((same) => Math.max(...same.map((one) => weightOf(one, least, known))));
    total.set(
      rpc,
      heaviest.reduce((sum, weight) => sum + weight, 0),
    );
  }
  return total;
}

/**
 * The finding a report begins with: at the RPC with the most evidence against it, the finding that is likeliest a cause
 * of the others; a warning only where nothing gates but what others explain. Undefined where nothing was found. It decides no verdict.
 */
export function rootCauseOf<T extends AttributedFinding>(findings: readonly T[]): T | undefined {
  const known = knownOf(findings);
  const unexplained = findings.filter((one) => !isExplained(one, known));
  const gates = ({ finding }: AttributedFinding) => finding.level !== "should";
  const gating = findings.filter(gates);
  // Without such a breach a warning may be all there is.
  const warnings = gating.length === 0 ? unexplained : unexplained.filter((one) => !isAside(one));
  const eligible = [unexplained.filter(gates), warnings, gating].find((some) => some.length > 0) ?? findings;
  const weights = weigh(findings, known);
  const [rpc] = eligible
    .map(({ finding }) => finding.rpc)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  const own = eligible.filter(({ finding }) => finding.rpc === rpc);
  const ofClause = Map.groupBy(own, ({ finding }) => finding.clause);
  const casesOf = ({ finding }: AttributedFinding) => new Set(ofClause.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted(
    (a, b) =>
      rankOf(a, known) - rankOf(b, known) ||
      casesOf(b) - casesOf(a) ||
      Number(isOfScope(a)) - Number(isOfScope(b)) ||
      // Of cases that find the same, the one that only asks for it.
      Number(isPlain(b)) - Number(isPlain(a)),
  )[0];
}
