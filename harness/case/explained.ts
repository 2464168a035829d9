import {
  type AttributedFinding,
  aboutOf,
  fieldIn,
  isDenied,
  isOddOneOut,
  isPlain,
  isReading,
  isRefusal,
  isUnusable,
  on,
  placeIn,
  serviceOf,
} from "./attributed-finding.ts";
import { isOfNoChange } from "./expected-words.ts";
import { followersIn } from "./followers.ts";
import { isFailedCall, scatteredFailuresOf } from "./scattered-failures.ts";
import { isOfUnfound, unfoundIn } from "./unfound.ts";

/** What findings say that explains others. */
export interface Known {
  /** RPCs whose plain call was refused. */
  readonly unserved: ReadonlySet<string>;
  /** Fields that are not in the reply of the call that sent them to be stored, or in no other reply than that, with its RPC. */
  readonly unstored: ReadonlyMap<string, string>;
  /** Fields of replies about which a clause of their own is broken, after their RPCs. */
  readonly specific: ReadonlySet<string>;
  /** Deletions that take others along. */
  readonly sweeping: ReadonlySet<string>;
  /** Whether deletions of jobs take the artifacts along that these were started with. */
  readonly isWithInputs: boolean;
  /** Services of mutations that change others of their kind. */
  readonly spreading: ReadonlySet<string>;
  /** RPCs that create endpoints of which nothing is delivered. */
  readonly undelivered: ReadonlySet<string>;
  /** Fields in which listed deliveries do not say what became of them. */
  readonly misrecorded: ReadonlySet<string>;
  /** Valid calls that were refused for what only they ask for, by RPC and refusal. */
  readonly particular: ReadonlySet<string>;
  /** RPCs with something in a header that does not belong there. */
  readonly inHeaders: ReadonlySet<string>;
  /** RPCs of which some watchers are shown nothing. */
  readonly unheard: ReadonlySet<string>;
  /** Services of deletions of everything that take along what is others'. */
  readonly emptying: ReadonlyMap<string, string>;
  /** Readings that show one record as another, after their services. */
  readonly confusing: ReadonlySet<string>;
  /** Readings that are found wrong after one mutation, which did not do what it answered, with that mutation. */
  readonly followers: ReadonlyMap<string, string>;
  /** Creations that name what they made by an id under which nobody finds it, by their services. */
  readonly unfound: ReadonlyMap<string, string>;
  /** Where valid calls fail here and there, so that any case may have met one: the findings that say no more than that. */
  readonly failures: ReadonlySet<AttributedFinding> | undefined;
}

/**
 * True of a valid call that was refused, for no reason that its clause is about: its form says nothing of the form of
 * replies, nor of credentials where the refusal does not. Where the plain call is refused as well, `unserved`, that is all.
 */
function isOnlyUnserved(one: AttributedFinding, { unserved, particular }: Known): boolean {
  const { clause, rpc } = one.finding;
  if (isForm(one) && particular.has(refusalOf(one))) return true;
  if (!isUnserved(one) || clause.endsWith(".endpoints.served")) return false;
  if (/\.auth\./.test(clause)) return !isDenied(one);
  return /^(connect|json)\./.test(clause) || unserved.has(rpc);
}

const isUnserved = (one: AttributedFinding) => isRefusal(one) && one.finding.expected.startsWith("the call is served");
/** About the form of a request or its headers, whatever it asks for. */
const isForm = on(/^(connect|json)\.|\.versioning\.header$/);
/** How an RPC refused, however it was asked: `refused: …`. */
const refusalOf = ({ finding: { rpc, actual } }: AttributedFinding) =>
  `${rpc} ${actual.replace(/^.*?(?=refused: )/, "")}`;

/** True of a valid call that was refused for what no other asks for: the same refusal elsewhere comes of that. */
const isParticular = (one: AttributedFinding) =>
  isUnserved(one) && !isForm(one) && !/\.auth\.|\.endpoints\.served$/.test(one.finding.clause);

/** True of a record that did not come, about which no clause says it better: whatever is read of it is missing, too. */
export const isMissing = (one: AttributedFinding, { specific }: Known) =>
  isPlain(one) && one.finding.actual === "absent" && !specific.has(placeIn(one));

/** True of a field that no reading shows of what a call stored: found by a case about that call. */
const isLaterLost = (one: AttributedFinding) =>
  one.finding.clause.endsWith(".records.echo") &&
  !isReading(one) &&
  aboutOf(one) === one.finding.rpc &&
  /^(null|\[null(,null)*\])$/.test(one.finding.actual);

/** The invariant that compares what a call stored with its own reply. */
const storing = "wire/records-show-what-was-stored ";

/** What all findings of a run say that explains some of them. */
export function knownOf(findings: readonly AttributedFinding[]): Known {
  const unserved = findings.filter((one) => isPlain(one) && isRefusal(one)).map(({ finding }) => finding.rpc);
  const unstored = findings.filter(
    (one) =>
      isLaterLost(one) ||
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
    isWithInputs: findings.some(on(/\.deletion\.leaves-inputs$/)),
    spreading: new Set(findings.filter(isSpreading).map(serviceOf)),
    undelivered: new Set(undelivered),
    misrecorded: new Set(findings.filter((one) => isRecord(one) && isListing(one)).map(fieldIn)),
    particular: new Set(findings.filter(isParticular).map(refusalOf)),
    inHeaders: new Set(
      findings.filter(({ finding: { at = "" } }) => at.startsWith("header ")).map(({ finding }) => finding.rpc),
    ),
    unheard: new Set(findings.filter((one) => isUnheard(one) && isUnusable(one)).map(({ finding }) => finding.rpc)),
    emptying: new Map(findings.filter(isEmptying).map((one) => [serviceOf(one), one.finding.rpc])),
    confusing: new Set(findings.filter((one) => isConfusion(one) && isReading(one)).map(serviceOf)),
    followers: followersIn(findings),
    unfound: unfoundIn(findings),
    failures: scatteredFailuresOf(findings) && new Set(plainestOf(findings.filter(isFailedCall))),
  };
}

/** True of a field that an RPC does not show, where the call that was to store it did not show it either, or nothing else does. */
function isUnstored(one: AttributedFinding, { unstored }: Known): boolean {
  const stored = unstored.get(fieldIn(one));
  const isAbsence = /\.records\.(filled|echo|agree)$/.test(one.finding.clause) && /\babsent\b/.test(one.finding.actual);
  return isAbsence && stored !== undefined && stored !== one.finding.rpc;
}

/** True of an upload that is refused, or a listing by a field that finds nothing, where what was sent to be stored was not. */
function isOfUnstored({ finding: { clause, rpc, expected } }: AttributedFinding, { unstored }: Known): boolean {
  if (clause.endsWith(".artifacts.required-headers")) return [...unstored.values()].includes(rpc);
  return /\.filters\./.test(clause) && [...unstored.keys()].some((field) => expected.includes(` ${field} `));
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

/** True of a call that was refused, or a listing, for want of something that is not there, where deletions of jobs take artifacts along. */
const isLostInput = ({ finding: { clause, rpc, actual } }: AttributedFinding, { isWithInputs }: Known) =>
  isWithInputs &&
  (/^refused: .*(not_found|RESOURCE_NOT_FOUND)/.test(actual) ||
    (clause.endsWith(".paging.traversal") && rpc.endsWith("/ListArtifacts")));

const isSpreading = on(/\.records\.untouched$/);

/**
 * True of a record that is not as it was, or not at the version that a valid call names, where a mutation of another changes it, too:
 * whatever the call before was refused for.
 */
function isChangedAlong(one: AttributedFinding, { spreading }: Known): boolean {
  const { clause, expected, actual } = one.finding;
  if (!spreading.has(serviceOf(one)) || isSpreading(one)) return false;
  if (isRefusal(one)) return /RESOURCE_VERSION_CONFLICT|FAILED_PRECONDITION/.test(actual);
  return isOfNoChange(expected) || /\.(versioning|idempotency)\.|\.records\.(agree|echo)$/.test(clause);
}

/** True of a reply that is not read for its headers' length, where one of them holds what does not belong there. */
const isOverflow = ({ finding: { rpc, actual } }: AttributedFinding, { inHeaders }: Known) =>
  inHeaders.has(rpc) && actual.endsWith("Headers Overflow Error");

const isUnheard = on(/\.watch\.no-loss$/);

/** True of a stream of many that says nothing, where one of a few does not either. */
const isOneOfMany = (one: AttributedFinding, { unheard }: Known) =>
  unheard.has(one.finding.rpc) && isUnusable(one) && one.finding.clause.endsWith(".endpoints.served");

/** True of a deletion of everything that takes along what is others'. */
const isEmptying = ({ finding: { clause, rpc, actual } }: AttributedFinding) =>
  /\/DeleteAll/.test(rpc) && /\.isolation\./.test(clause) && /\bgone\b/.test(actual);

/** True of a record that is gone, or not found, where another call deletes everybody's. */
function isEmptied(one: AttributedFinding, { emptying }: Known): boolean {
  const { rpc, actual } = one.finding;
  const by = emptying.get(serviceOf(one));
  return by !== undefined && by !== rpc && /\bgone\b|RESOURCE_NOT_FOUND|not_found/.test(actual);
}

const isConfusion = on(/\.runs\.own$/);

/** True of a mutation that a reading shows at another record, where readings show one record as another anyway. */
const isMisread = (one: AttributedFinding, { confusing }: Known) =>
  isConfusion(one) && !isReading(one) && confusing.has(serviceOf(one));

/** True of a reading that is found wrong after the mutation it follows. */
const isFollowing = (one: AttributedFinding, { followers }: Known) => followers.has(one.finding.rpc);

/** Of valid calls that failed those about nothing but that; all of them where there are none such. */
function plainestOf(failed: readonly AttributedFinding[]): readonly AttributedFinding[] {
  const plainest = failed.filter(on(/\.endpoints\.served$/));
  return plainest.length > 0 ? plainest : failed;
}

/** True of a finding that something else explains whole; where calls fail whatever they ask for, of all but those that say so. */
export function isExplained(one: AttributedFinding, known: Known): boolean {
  if (known.failures !== undefined) return !known.failures.has(one);
  return (
    isOnlyUnserved(one, known) ||
    isUnstored(one, known) ||
    isOfUnstored(one, known) ||
    isTakenAlong(one, known) ||
    isLostInput(one, known) ||
    isChangedAlong(one, known) ||
    isNeverDelivered(one, known) ||
    isMisrecorded(one, known) ||
    isOverflow(one, known) ||
    isOneOfMany(one, known) ||
    isEmptied(one, known) ||
    isMisread(one, known) ||
    isFollowing(one, known) ||
    isOfUnfound(one, known.unfound)
  );
}
