import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import {
  findRecord,
  listAll,
  listRowOf,
  readRowOf,
  recordFields,
  recordIn,
  type Subject,
  subjectFieldOf,
} from "../../harness/given/subject.ts";
import { showJson } from "../../harness/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect, factsOf } from "../../proto/rpcs.ts";

/** How something deleted is read: for the report. */
function deletedForm(reply: Reply): string {
  if (reply.outcome === "refused") return `a read of something deleted is refused, ${reply.error.code}`;
  return "a read of something deleted shows it as deleted";
}

/** Judges that a read no longer shows the subject live. A deletion may take a while to show. */
async function judgeRead(context: CaseContext, deleted: Reply, subject: Subject): Promise<boolean> {
  const { row, given, target, judge, note, until } = context;
  if (readRowOf(subject.kind, row.package) === undefined) return true;
  let last: Reply | undefined;
  const gone = await until(async () => {
    last = await given.read(subject);
    return last.outcome === "refused" || given.isDead(recordIn(last)) ? last : undefined;
  }, target.settings.patience.settleMs);
  if (gone !== undefined) note("*.open.deleted-form", deletedForm(gone));
  return judge(deleted, "*.deletion.effective", last === undefined ? [] : [last]).satisfies(
    gone !== undefined,
    `the ${subject.kind} gone, or shown as deleted`,
    last === undefined ? "not read" : describeReply(last),
  );
}

/** Judges that a listing no longer shows the subject among the live. */
async function judgeListed(context: CaseContext, deleted: Reply, subject: Subject): Promise<void> {
  const { row, given, target, judge, until } = context;
  const list = listRowOf(subject.kind, row.package);
  if (list === undefined) return;
  let listed: { readonly reply: Reply; readonly record: JsonObject | undefined } | undefined;
  await until(async () => {
    const { records, replies } = await listAll(context, list, await given.request(list, subject), {
      baseUrl: subject.baseUrl,
    });
    const record = findRecord(records, list, subject.id);
    const reply = replies.at(-1);
    listed = reply === undefined ? undefined : { reply, record };
    return record === undefined || given.isDead(record) ? true : undefined;
  }, target.settings.patience.settleMs);
  if (listed === undefined) return;
  const { reply, record } = listed;
  // What nothing but the listing could show is the deletion's own breach.
  const [judged, related] = readRowOf(subject.kind, row.package) === undefined ? [deleted, [reply]] : [reply, []];
  judge(judged, "*.deletion.effective", related).satisfies(
    record === undefined || given.isDead(record),
    `no live ${subject.kind} that was deleted`,
    showJson(record),
  );
}

export const deletion = defineRule({
  id: "lifecycle/deleted-is-gone",
  says: "a deletion names what it deleted, which then is no longer there",
  clauses: ["*.deletion.names", "*.deletion.effective"],
  rows: (row) => row.effect === Effect.DELETE && subjectFieldOf(row) !== undefined,
  async run(context) {
    const { row, given, call, judge, note, needs } = context;
    const subject = await given.subjectOf(row);
    if (subject === undefined) return;
    const baseUrl = given.baseUrl(row, subject);
    // The twin of the refusal to come: what is read now must not be read then.
    if (readRowOf(subject.kind, row.package) !== undefined) needs(await given.read(subject));
    const deleted = await call(row, await given.request(row, subject), { baseUrl });
    if (deleted.outcome !== "served") needs(deleted);
    const named = row.output.fields.find((field) => factsOf(field).names === row.subject);
    if (named !== undefined) judge(deleted).shows(named.jsonName, subject.id);
    if (row.record !== undefined) judge(deleted).shows(`${row.record.name}.${recordFields(row).id}`, subject.id);

    // What a read shows as live will be listed too: one cause, one finding.
    if (await judgeRead(context, deleted, subject)) await judgeListed(context, deleted, subject);

    const again = await call(row, await given.request(row, subject), { baseUrl });
    const answer = again.outcome === "refused" ? `refused, ${again.error.code}` : again.outcome;
    note("*.open.deleted-form", `a second deletion is ${answer}`);
  },
});
