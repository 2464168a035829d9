import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface AttributedFinding {
  readonly finding: Pick<Finding, "clause" | "rpc" | "level" | "expected" | "actual" | "at">;
  /** Id of the case and its RPC: one case that finds the same twice counts once. */
  readonly by: string;
}

/** True of findings that a place in an order is for. */
type Place = (one: AttributedFinding) => boolean;

/** The place of findings on these clauses. */
const on =
  (clauses: RegExp): Place =>
  ({ finding: { clause } }) =>
    clauses.test(clause);

/** The case that only asks an RPC to serve a valid call. */
const plainCall = "lifecycle/valid-call-is-served ";

const isPlain = ({ by }: AttributedFinding) => by.startsWith(plainCall);
const isRefusal = ({ finding: { actual } }: AttributedFinding) => actual.startsWith("refused: ");
const isUnusable = ({ finding: { actual } }: AttributedFinding) => actual.startsWith("no usable reply");

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
  on(/\.records\.(identity|filled)$/),
  on(/\.deletion\./),
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

/** A call was refused for what its caller is, or may. */
const isDenied = ({ finding: { actual } }: AttributedFinding) =>
  /permission_denied|unauthenticated|AUTHORIZATION_DENIED|AUTHENTICATION_REQUIRED|HTTP 40[13]/.test(actual);

/** What findings say that explains others. */
interface Known {
  /** RPCs whose plain call was refused. */
  readonly unserved: ReadonlySet<string>;
  /** Fields that are not in the reply of the call that sent them to be stored, or in no other reply than that, with its RPC. */
  readonly unstored: ReadonlyMap<string, string>;
  /** Fields of replies about which a clause of their own is broken, after their RPCs. */
  readonly specific: ReadonlySet<string>;
  /** Deletions that take others along. */
  readonly sweeping: ReadonlySet<string>;
  /** RPCs that create endpoints of which nothing is delivered. */
  readonly undelivered: ReadonlySet<string>;
  /** Fields in which listed deliveries do not say what became of them. */
  readonly misrecorded: ReadonlySet<string>;
}

/**
 * True of a valid call that was refused, for no reason that its clause is about: its form says nothing of the form of
 * replies, nor of credentials where the refusal does not. Where the plain call is refused as well, `unserved`, that is all.
 */
function isOnlyUnserved(one: AttributedFinding, { unserved }: Known): boolean {
  const { clause, rpc, expected } = one.finding;
  if (!isRefusal(one) || !expected.startsWith("the call is served") || clause.endsWith(".endpoints.served"))
    return false;
  if (/\.auth\./.test(clause)) return !isDenied(one);
  return /^(connect|json)\./.test(clause) || unserved.has(rpc);
}

/** A kind that is refused is refused with any scope, so that as many cases find its scope refused as find the kind. */
const isOfScope = on(/\.auth\.scope$/);

/** The field a finding is about, after its RPC. */
const placeIn = ({ finding: { rpc, at = "" } }: AttributedFinding) => `${rpc} ${at}`;

/** True of a record that did not come, about which no clause says it better: whatever is read of it is missing, too. */
const isMissing = (one: AttributedFinding, { specific }: Known) =>
  isPlain(one) && one.finding.actual === "absent" && !specific.has(placeIn(one));

/** The invariant that compares what a call stored with its own reply. */
const storing = "wire/records-show-what-was-stored ";

/** The last name in a path: `name` in `secret.name`. */
const fieldIn = ({ finding: { at = "" } }: AttributedFinding) => at.slice(at.lastIndexOf(".") + 1);

function knownOf(findings: readonly AttributedFinding[]): Known {
  const unserved = findings.filter((one) => isPlain(one) && isRefusal(one)).map(({ finding }) => finding.rpc);
  const unstored = findings.filter(
    (one) =>
      (one.by.startsWith(storing) && one.finding.actual === "absent") ||
      (isOddOneOut(one) && one.finding.expected.startsWith("absent, as ")),
  );
  const undelivered = findings.filter((one) => isUndelivered(one) && isCreation(one)).map(({ finding }) => finding.rpc);
  return {
    unserved: new Set(unserved),
    unstored: new Map(unstored.map((one) => [fieldIn(one), one.finding.rpc])),
    specific: new Set(
      findings.filter((one) => !isPlain(one) && one.finding.level !== "should").map((one) => placeIn(one)),
    ),
    sweeping: new Set(findings.filter(on(/\.deletion\.names$/)).map(({ finding }) => finding.rpc)),
    undelivered: new Set(undelivered),
    misrecorded: new Set(findings.filter((one) => isRecord(one) && isListing(one)).map(fieldIn)),
  };
}

/** True of a field that an RPC does not show, where the call that was to store it did not show it either, or nothing else does. */
function isUnstored(one: AttributedFinding, { unstored }: Known): boolean {
  const stored = unstored.get(fieldIn(one));
  const isAbsence = /\.records\.(filled|echo|agree)$/.test(one.finding.clause) && /\babsent\b/.test(one.finding.actual);
  return isAbsence && stored !== undefined && stored !== one.finding.rpc;
}

const isUndelivered = on(/\.webhooks\.delivered$/);
const isCreation = ({ finding: { rpc } }: AttributedFinding) => rpc.endsWith("/CreateWebhookEndpoint");

/** True of an endpoint that gets nothing once it is changed or listed, where one gets nothing from the start. */
const isNeverDelivered = (one: AttributedFinding, { undelivered }: Known) =>
  isUndelivered(one) && !isCreation(one) && undelivered.size > 0;

const isRecord = on(/\.webhooks\.records$/);
const isListing = ({ finding: { rpc } }: AttributedFinding) => rpc.endsWith("/ListWebhookDeliveries");

/** True of a redelivery whose record does not say in a field what became of it, where no delivery's does. */
const isMisrecorded = (one: AttributedFinding, { misrecorded }: Known) =>
  isRecord(one) && !isListing(one) && misrecorded.has(fieldIn(one));

/** True of a record that is gone after a call that was refused, where a deletion of others takes it along. */
const isTakenAlong = ({ finding: { rpc, actual } }: AttributedFinding, { sweeping }: Known) =>
  sweeping.has(rpc) && actual.endsWith(" is gone");

/** True of a finding that something else explains whole. */
const isExplained = (one: AttributedFinding, known: Known) =>
  isOnlyUnserved(one, known) ||
  isUnstored(one, known) ||
  isTakenAlong(one, known) ||
  isNeverDelivered(one, known) ||
  isMisrecorded(one, known);

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

const disagrees = ({ finding: { clause } }: AttributedFinding) => clause.endsWith(".records.agree");

/** True of a reply found to disagree with several that agree with each other: the odd one out is likelier wrong than any of them. */
const isOddOneOut = ({ finding: { expected } }: AttributedFinding) =>
  /, as (most of \d+ reads|[\w ]+ and [\w ]+) showed$/.test(expected);

/** Of a reply found to disagree with another: the length of the text it shows, 0 where the field is absent or at its default. */
function shownIn({ finding: { actual } }: AttributedFinding): number {
  // The HTML report includes this module, which therefore imports nothing; so the word is written out here again.
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
  const gating = findings.filter((one) => one.finding.level !== "should" && !isExplained(one, known));
  const eligible = gating.length > 0 ? gating : findings;
  const weights = weigh(findings, known);
  const [rpc] = eligible
    .map(({ finding }) => finding.rpc)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  const own = eligible.filter(({ finding }) => finding.rpc === rpc);
  const ofClause = Map.groupBy(own, ({ finding }) => finding.clause);
  const casesOf = ({ finding }: AttributedFinding) => new Set(ofClause.get(finding.clause)?.map(({ by }) => by)).size;
  return own.toSorted(
    (a, b) =>
      rankOf(a, known) - rankOf(b, known) || casesOf(b) - casesOf(a) || Number(isOfScope(a)) - Number(isOfScope(b)),
  )[0];
}
