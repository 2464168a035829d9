import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeAgreement, type RecordView } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { isVersionRevisedUntouched } from "../../../harness/setup/late-revision.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { isNamed } from "../../../harness/setup/read.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { isDefault, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, isObject, type Reply } from "../../../harness/wire/reply.ts";
import { isSettled } from "../../../harness/wire/states.ts";
import { listRowOf, messageOf, readRowOf, recordFields, siblingsOf } from "../../../proto/resources.ts";
import { Change, ChangesItself, Effect, factsOf, isReadOnly, type RpcRow } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { callCurrent } from "../../common/current-call.ts";

/** A record as the RPC under test showed it. */
export interface Shown {
  readonly reply: Reply;
  readonly record: JsonObject;
  readonly at: string;
}

/**
 * True where only a mutation can change the record: background work on it has ended or, for a new artifact that awaits its
 * upload, has not begun.
 */
export function settles(row: RpcRow, record: JsonObject, untouched: boolean): boolean {
  if (row.changesItself === ChangesItself.BY_WORK) return isSettled(record);
  // An upload may still be checked after its completion was served.
  return untouched || textAt(record, "state") !== "ARTIFACT_STATE_PENDING_UPLOAD";
}

/** Request fields of a kind's updates: the record fields they set may change. */
export function settableFields(row: RpcRow): ReadonlySet<string> {
  const updates = siblingsOf(row).filter(({ effect }) => effect === Effect.UPDATE);
  return new Set(updates.flatMap((one) => one.input.fields.map((field) => field.jsonName)));
}

/** Finds the subject in its listing, page by page. */
async function findListed(
  context: CaseContext,
  row: RpcRow,
  subject: Subject,
): Promise<{ readonly shown: Shown | undefined; readonly ended: boolean }> {
  const { baseUrl } = subject;
  const request = withoutState(row, await context.setup.request(row, subject));
  const { records, replies, ended } = await listAll(context, row, request, { baseUrl }, (page) => {
    return findRecord(page, row, subject.id) !== undefined;
  });
  const record = findRecord(records, row, subject.id);
  const reply = replies.find((one) => recordsIn(one).some((found) => found.record === record)) ?? replies.at(-1);
  const shown = record === undefined || reply === undefined ? undefined : { reply, record, at: `${row.list?.name}[]` };
  return { shown, ended };
}

/** The subject in its listing, which may be late to show it. One that leads on and on shows no more of it later. */
export async function listedInTime(context: CaseContext, row: RpcRow, subject: Subject): Promise<Shown | undefined> {
  const found = await context.poll(async () => {
    const { shown, ended } = await findListed(context, row, subject);
    return shown !== undefined || !ended ? { shown } : undefined;
  }, context.target.settings.patience.settleMs);
  return found?.shown;
}

/** Reads the subject until it is no longer at version `before`, or patience ends: reads may lag behind writes. */
async function readUpToDate(context: CaseContext, subject: Subject, before: string): Promise<Reply> {
  let last: Reply | undefined;
  await context.poll(async () => {
    last = await context.setup.read(subject);
    const lags = last.outcome === "refused" || versionOf(recordIn(last)) === before;
    return lags && before !== subject.version ? undefined : last;
  }, context.target.settings.patience.settleMs);
  if (last === undefined) throw new Error("nothing was read");
  return last;
}

/** Whether a record that was revoked is not read any more, as it was known before either: whether it is, is open. */
async function isHidden({ setup }: CaseContext, before: Subject | undefined): Promise<boolean> {
  return before !== undefined && (await setup.read(before)).outcome === "refused";
}

/** How a watch is read until it has shown a record. */
function watching({ target }: CaseContext, row: RpcRow) {
  return {
    enough: (messages: readonly { readonly json: JsonObject }[]) =>
      messages.some(({ json }) => isObject(json[row.record?.name ?? ""])),
    listenMs: target.settings.patience.settleMs,
  };
}

/** The record of a steady subject, as a watch shows it. */
async function watch(context: CaseContext, subject: Subject): Promise<JsonObject | undefined> {
  const { row, setup, call } = context;
  // A stream of events alone shows no record.
  const watchRow = siblingsOf(row).find((one) => one.effect === Effect.WATCH && one.record !== undefined);
  if (watchRow === undefined || watchRow === row || !subject.changesOnlyByMutation) return undefined;
  const request = await setup.request(watchRow, subject);
  const reply = await call(watchRow, request, { baseUrl: subject.baseUrl, ...watching(context, watchRow) });
  return recordsIn(reply).find(({ kind }) => kind === subject.kind)?.record;
}

/** Calls the RPC under test on a subject, and finds the subject's record in the reply. */
async function show(context: CaseContext, subject: Subject | undefined): Promise<Shown | undefined> {
  const { row, needs } = context;
  if (row.list !== undefined && subject !== undefined) return listedInTime(context, row, subject);
  const reply = await callCurrent(context, subject, row.stream ? watching(context, row) : {});
  needs(reply);
  const found = recordsIn(reply).find(({ kind }) => kind === row.subject);
  return found === undefined ? undefined : { reply, record: found.record, at: found.at };
}

/** Where a reply shows a record. */
type Showing = Pick<Shown, "reply" | "at">;

/** A record that the one under test is compared with; `showing` where an RPC was called to see it. */
interface Witness extends RecordView {
  readonly showing?: Showing;
}

/**
 * Judges the readings that the reply under test was compared with: one that contradicts it and all the others is at fault. Of
 * a reading and a listing alone nobody can tell which is right, and a third reply can.
 */
function judgeOddOneOut(
  { judge, row }: CaseContext,
  message: DescMessage,
  seen: RecordView,
  others: readonly Witness[],
): void {
  for (const odd of others) {
    const rest = others.filter((one) => one !== odd);
    if (odd.showing === undefined || rest.length === 0) continue;
    const { reply, at } = odd.showing;
    const breaches = judgeAgreement(message, odd, [seen, ...rest], settableFields(row), at);
    // By one clause alone: with which version each was read is a question of its own case.
    const corroborated = breaches.filter(
      ({ clause, expected }) => clause === "*.records.agree" && / and [\w ]+ showed$/.test(expected),
    );
    judge(reply, "*.records.agree").keeps(corroborated);
  }
}

/** Judges that a record is consistent across all RPCs that show it. */
async function judgeConsistent(context: CaseContext): Promise<void> {
  const { row, setup, judge } = context;
  const message = messageOf(row);
  const [readRow, listRow] = [readRowOf(row.subject, row.package), listRowOf(row.subject, row.package)];
  const subject = await setup.subjectOf(row);
  const before = subject === undefined ? "" : subject.version;
  const shown = await show(context, subject);
  if (row.list !== undefined && shown === undefined) {
    const reply = await callCurrent(context, subject);
    judge(reply, "*.paging.traversal").satisfies(false, `the ${row.subject} among the listed`, "no page shows it");
    return;
  }
  if (shown === undefined || message === undefined) return;

  const settled = (record: JsonObject) => settles(row, record, row.effect === Effect.CREATE);
  const within = subject === undefined ? setup.subjectIn(shown.reply).within : subject.within;
  const now: Subject = {
    kind: row.subject,
    id: shown.record[recordFields(row).id] ?? subject?.id ?? null,
    record: shown.record,
    version: versionOf(shown.record),
    changesOnlyByMutation: settled(shown.record),
    baseUrl: subject?.baseUrl ?? (row.fixture && readRow !== undefined ? await setup.homeUrl(readRow) : undefined),
    ...(within === undefined ? {} : { within }),
  };
  const others: Witness[] = [];
  const see = (source: string, record: JsonObject, showing?: Showing) =>
    void others.push({ source, record, settled: settled(record), ...(showing !== undefined && { showing }) });
  // Another rule judges reads of a deleted record.
  const [reads, lists] = row.effect === Effect.DELETE ? [undefined, undefined] : [readRow, listRow];
  const expected = `the ${row.subject} to be read as the reply names it`;
  if (reads !== undefined && reads !== row && !isNamed(reads, now)) {
    judge(shown.reply).satisfies(false, expected, `it names none: ${describeReply(shown.reply)}`, shown.at);
  } else if (reads !== undefined && reads !== row) {
    const read = await readUpToDate(context, now, before);
    const record = recordIn(read);
    const hidden = read.outcome === "refused" && row.change === Change.REVOKES && (await isHidden(context, subject));
    if (hidden) {
      context.observe("*.open.transitions", "what was revoked is not read");
    } else if (read.outcome === "refused") {
      judge(shown.reply, undefined, [read]).satisfies(false, expected, describeReply(read), shown.at);
    } else {
      context.needs(read);
      // After a mutation no read may show the version before it.
      const moved = !isReadOnly(row) && before !== now.version;
      judge(read).satisfies(
        !moved || versionOf(record) !== before,
        `the ${row.subject} at version ${now.version} or later`,
        `still version ${before}`,
      );
      see(reads.method, record, { reply: read, at: reads.record?.name ?? "" });
    }
  }
  if (lists !== undefined && lists !== row) {
    // Listed by what it is known to name: what the reply under test names may be wrong.
    const known = subject?.kind === now.kind ? { ...now, record: subject.record } : now;
    const { shown: listed } = await findListed(context, lists, known);
    if (listed !== undefined) see(lists.method, listed.record, listed);
  }
  const watched = await watch(context, now);
  if (watched !== undefined) see("a watch", watched);
  // An earlier reply of an RPC that is compared here already does not count twice.
  const seenBefore = [row, reads, lists].some((one) => one !== undefined && one.name === subject?.shownBy);
  if (subject !== undefined && row.effect !== Effect.UPDATE && (!seenBefore || others.length === 0)) {
    see("an earlier reply", subject.record);
  }
  const seen = { source: row.method, record: shown.record, settled: now.changesOnlyByMutation };
  if (others.length === 0) return;
  const breaches = judgeAgreement(message, seen, others, settableFields(row), shown.at);
  const isOfVersion = breaches.length > 0 && breaches.every(({ clause }) => clause === "*.versioning.carried");
  if (isOfVersion && (await isVersionRevisedUntouched(context, now))) return;
  const agrees = judge(shown.reply).keeps(breaches);
  if (agrees) judgeOddOneOut(context, message, seen, others);
}

export const consistent = defineRule({
  id: "lifecycle/records-are-consistent-across-rpcs",
  says: "a record is consistent across all RPCs that show it",
  clauses: ["*.records.agree", "*.versioning.carried", "*.paging.traversal"],
  rows: (row) => messageOf(row) !== undefined,
  run: (context) => inBothTenants(context, judgeConsistent),
});

export const updated = defineRule({
  id: "lifecycle/updates-set-the-update-time",
  says: "an update sets the record's update time",
  clauses: ["*.records.filled"],
  rows: (row) =>
    row.effect === Effect.UPDATE && messageOf(row)?.fields.some((field) => factsOf(field).changedAt) === true,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const reply = await callCurrent(context, await setup.subjectOf(row));
    needs(reply);
    const { updatedAt } = recordIn(reply);
    judge(reply).satisfies(!isDefault(updatedAt), "the time of the change", showJson(updatedAt), "updatedAt");
  },
});
