import type { CaseResult, Results } from "../case/result.ts";
import { type Baseline, type BaselineEntry, fitsEntry, isWild, usualMost } from "./baseline.ts";

/** A failure with the reason it is known by. */
export interface Failure {
  readonly result: CaseResult;
  readonly reason: string;
}

/** An entry that no longer does what it is there for. */
export interface Faulty {
  readonly entry: BaselineEntry;
  /** One sentence: what, and what to do. */
  readonly why: string;
}

/** What a baseline makes of a run. */
export interface Gate {
  /** Failures an entry lets pass. */
  readonly known: readonly Failure[];
  /** Failures no entry names, or that fail for another reason than the entry says. */
  readonly fresh: readonly Failure[];
  /** Entries that are stale, expired, or cover too much. */
  readonly faulty: readonly Faulty[];
}

/** What makes a gate. */
export interface GateOptions {
  /** Day of the run, `YYYY-MM-DD`. */
  readonly today: string;
  /** Why a case fails, the same in every run. */
  readonly reasonOf: (result: CaseResult) => string;
}

const failing = ["violated", "unproven", "error"];

/** Failures of a run, each with its reason. */
export function failuresOf(results: Results, reasonOf: GateOptions["reasonOf"]): readonly Failure[] {
  return results.cases
    .filter(({ outcome }) => failing.includes(outcome))
    .map((result) => ({ result, reason: reasonOf(result) }));
}

/** Holds a run against its baseline. Entries about cases a narrowed run left out are left alone. */
export function gateResults(results: Results, { known: entries }: Baseline, options: GateOptions): Gate {
  const { today } = options;
  const failures = failuresOf(results, options.reasonOf);
  const used = new Map<BaselineEntry, Failure[]>(entries.map((entry) => [entry, []]));
  const known: Failure[] = [];
  const fresh: Failure[] = [];
  for (const failure of failures) {
    // Hallmark's own error is nobody's known failure.
    const entry = failure.result.outcome === "error" ? undefined : entries.find((one) => covers(one, failure));
    if (entry === undefined) fresh.push(failure);
    else {
      used.get(entry)?.push(failure);
      known.push(failure);
    }
  }
  const faulty = entries.flatMap((entry): Faulty[] => {
    const why = faultOf(entry, used.get(entry) ?? [], results, today);
    return why === undefined ? [] : [{ entry, why }];
  });
  return { known, fresh, faulty };
}

/** True where an entry may have nothing to do in a run: its failure comes and goes, or belongs to another seed. */
function isQuiet({ intermittent, seed }: BaselineEntry, results: Results): boolean {
  return intermittent !== undefined || (seed !== undefined && seed !== results.seed);
}

function covers(entry: BaselineEntry, { result, reason }: Failure): boolean {
  return fitsEntry(entry)(result.id, result.rpc) && entry.reason === reason;
}

function faultOf(
  entry: BaselineEntry,
  covered: readonly Failure[],
  results: Results,
  today: string,
): string | undefined {
  const fits = fitsEntry(entry);
  const about = results.cases.filter(({ id, rpc }) => fits(id, rpc));
  if (entry.expires < today) return `expired on ${entry.expires}; fix what it excuses, or decide on another day`;
  const most = entry.most ?? usualMost;
  if (isWild(entry) && covered.length > most) {
    return `covers ${covered.length} failures, more than ${most}; name them one by one`;
  }
  if (covered.length > 0 || isQuiet(entry, results)) return undefined;
  if (about.length === 0) {
    return results.selection.length > 0 ? undefined : "is about a case this run did not have; remove it";
  }
  if (about.every(({ outcome }) => outcome === "held")) return "is stale: it holds now; remove it";
  if (about.every(({ outcome }) => outcome === "not-exercised"))
    return "is about a case that was not exercised; remove it, or add what the target file lacks";
  const reasons = about.some(({ outcome }) => failing.includes(outcome));
  return reasons
    ? "is about a case that fails for another reason; see what is new, then correct it"
    : "is stale: nothing fails; remove it";
}

/** True where a run may pass: nothing fails but what is known, and every entry does its work. */
export function passes({ fresh, faulty }: Gate): boolean {
  return fresh.length + faulty.length === 0;
}

/** What new entries of an updated baseline say. */
export interface Renewal {
  readonly link: string;
  readonly expires: string;
}

/** The baseline of a run: entries that did their work stay as they are, all other failures get one of their own. */
export function renewBaseline(results: Results, before: Baseline, renewal: Renewal, options: GateOptions): Baseline {
  const { faulty } = gateResults(results, before, options);
  const dropped = new Set(faulty.map(({ entry }) => entry));
  const failed = failuresOf(results, options.reasonOf).filter(({ result }) => result.outcome !== "error");
  const kept = before.known.filter((entry) => !dropped.has(entry)).map((entry) => counted(entry, failed));
  // What an entry that goes let pass has to be named again.
  const uncovered = failed.filter((failure) => !kept.some((entry) => covers(entry, failure)));
  const added = uncovered.map(
    ({ result, reason }): BaselineEntry => ({
      case: result.id,
      rpc: result.rpc,
      reason,
      ...renewal,
      // What was not red each time it was repeated will hold in some run.
      ...(comesAndGoes(result) ? { intermittent: { seen: 1, of: 1 } } : {}),
    }),
  );
  const known = [...kept, ...added].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { format: "hallmark-baseline/1", known };
}

function comesAndGoes({ triage }: CaseResult): boolean {
  return triage === "racy" || triage === "unreproduced";
}

/** The entry with one more run counted, where it says how often its failure was seen. */
function counted(entry: BaselineEntry, failures: readonly Failure[]): BaselineEntry {
  const { intermittent } = entry;
  if (intermittent === undefined) return entry;
  const again = failures.some((failure) => covers(entry, failure)) ? 1 : 0;
  return { ...entry, intermittent: { seen: intermittent.seen + again, of: intermittent.of + 1 } };
}

function keyOf({ rpc, case: id, reason }: BaselineEntry): string {
  return `${rpc} ${id} ${reason}`;
}
