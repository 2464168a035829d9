import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../case/context.ts";
import { findRecord } from "../setup/listing.ts";
import { enumFilterOf } from "../setup/required-state.ts";
import { versionOf } from "../setup/subject.ts";
import { isDefault } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { type Comparison, compare } from "./comparison.ts";
import type { ModelKind, ModelRecord } from "./model.ts";
import type { ModelRun } from "./model-run.ts";
import { listRecords, readRecord } from "./reads.ts";
import { currentVersionOf, type NoEffectCall } from "./tracked-record.ts";

function compareShown({ tracked, kind }: ModelRecord, shown: JsonObject | undefined): Comparison {
  return compare(tracked, shown, shown === undefined ? "" : versionOf(shown), kind.rules);
}

/** Reads a record until what it shows is not stale, or patience ends, and judges it by the model. */
export async function checkRecord(run: ModelRun, record: ModelRecord): Promise<void> {
  const { context, patience } = run;
  const replies: Reply[] = [];
  let comparison: Comparison | undefined;
  const caughtUp = await context.poll(async () => {
    const read = await readRecord(context, record.kind, record.subject);
    replies.push(read.reply);
    comparison = compareShown(record, read.record);
    return comparison.is === "stale" ? undefined : true;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined || comparison === undefined) return;
  run.log(`read ${record.tracked.name}`, replies);
  if (caughtUp === undefined) patience.spend();
  await judgeRead(run, record, reply, comparison);
}

/**
 * Judges what a read showed. Where it deviates from the model after calls that must have had no effect, the last of those
 * calls is at fault, unless another read agrees with the model.
 */
async function judgeRead(run: ModelRun, record: ModelRecord, reply: Reply, comparison: Comparison): Promise<void> {
  const { tracked } = record;
  if (comparison.is === "gone") {
    // What an earlier call left open is told: all that it left so is gone.
    if (tracked.mayBeGone !== undefined) tracked.mayBeGone.toldBy ??= reply;
    tracked.noEffectCalls = [];
    run.unverified.delete(record);
    return;
  }
  if (comparison.is === "advanced") tracked.versions.push({ ...comparison.version, reply });
  if (comparison.is === "match" || comparison.is === "advanced") {
    run.judge({ reply, clause: "*.records.agree", held: true, expected: "" });
    tracked.noEffectCalls = [];
    tracked.confirmed = true;
    const current = currentVersionOf(tracked);
    // What was shown last is what a later reply contradicts.
    if (comparison.is === "match" && !tracked.deleted) tracked.versions.splice(-1, 1, { ...current, reply });
    run.unverified.delete(record);
    return;
  }
  const { clause, expected, contradiction } = comparison;
  const culprit = await findCulprit(run, record, comparison);
  // What was shown without an id cannot be read: the reply that showed it so is at fault.
  const nameless = isDefault(tracked.id) ? currentVersionOf(tracked).reply : undefined;
  if (nameless !== undefined) {
    const named = `${tracked.name} with the id it is read by`;
    run.judge({ reply: nameless, clause, held: false, expected: named, actual: () => "no id", related: [reply] });
  } else if (culprit === undefined)
    run.judge({ reply, clause, held: false, expected, contradiction: () => contradiction });
  else {
    run.judge({
      ...culprit,
      held: false,
      expected: `no effect: ${expected}`,
      contradiction: () => ({ ...contradiction, after: reply }),
      related: [reply],
    });
  }
}

/** The call that had an effect it must not have had; undefined where the read itself is at fault. */
async function findCulprit(
  { context }: ModelRun,
  record: ModelRecord,
  { is }: Comparison,
): Promise<NoEffectCall | undefined> {
  const { tracked, kind, subject } = record;
  // A current version that no read has shown was perhaps never stored, so that no call undid it.
  if (is === "stale" && !tracked.deleted && !tracked.confirmed) return undefined;
  const culprit = tracked.noEffectCalls.at(-1);
  if (culprit === undefined || is !== "mismatch") return culprit;
  const again = await readRecord(context, kind, subject);
  return compareShown(record, again.record).is === "match" ? undefined : culprit;
}

/** Whether a listing shows a record to whoever asks for its state: which states are listed where none is asked for is not shown. */
async function isListedByState(context: CaseContext, kind: ModelKind, { subject }: ModelRecord): Promise<boolean> {
  const { listRow } = kind;
  const filter = listRow && enumFilterOf(listRow);
  if (listRow === undefined || filter === undefined) return false;
  const state = (await readRecord(context, kind, subject)).record?.[filter.name];
  if (state === undefined) return false;
  const within = { ...subject.within, [filter.name]: state };
  const { records } = await listRecords(context, kind, { ...subject, within });
  return findRecord(records, listRow, subject.id) !== undefined;
}

/** Lists a kind until no record is stale, or patience ends: it shows the existing records as they are, and no deleted one. */
export async function checkListing(run: ModelRun, kind: ModelKind): Promise<void> {
  const { context, patience } = run;
  const { listRow } = kind;
  const records = run.records.filter((one) => one.kind === kind);
  const [first] = records;
  if (listRow === undefined || first === undefined) return;
  const replies: Reply[] = [];
  let comparisons: readonly (readonly [ModelRecord, Comparison])[] = [];
  const caughtUp = await context.poll(async () => {
    const find = (one: ModelRecord, listed: readonly JsonObject[]) => findRecord(listed, listRow, one.tracked.id);
    const allExist = records.every(({ tracked }) => !tracked.deleted);
    const listing = await listRecords(
      context,
      kind,
      first.subject,
      (listed) => allExist && records.every((one) => find(one, listed) !== undefined),
    );
    replies.push(...listing.replies);
    comparisons = records.flatMap((one): (readonly [ModelRecord, Comparison])[] => {
      const shown = find(one, listing.records);
      // It may be on a page that was not read.
      if (shown === undefined && !listing.complete) return [];
      return [[one, compareShown(one, shown)]];
    });
    return comparisons.every(([, { is }]) => is !== "stale") ? true : undefined;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined) return;
  run.log(`list ${kind.kind.replaceAll("_", " ")}s`, replies);
  if (caughtUp === undefined) patience.spend();
  for (const [record, comparison] of comparisons) {
    if (run.violated) return;
    // A record that its listing lacks is a breach of the listing.
    const missing = comparison.is === "stale" && comparison.clause === "*.endpoints.served";
    if (missing && (await isListedByState(context, kind, record))) continue;
    await judgeRead(run, record, reply, missing ? { ...comparison, clause: "*.paging.traversal" } : comparison);
  }
}
