import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { create } from "../../../harness/setup/create.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { otherStatesOf } from "../../../harness/setup/setup.ts";
import { recordIn, subjectFrom, versionOf } from "../../../harness/setup/subject.ts";
import { isDefault, listAt, sameJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { listRowOf, readRowOf, recordFields, subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, factsOf, rpc } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { deleteOnceIdle } from "../../common/deletion-once-idle.ts";
import { isShownDeleted, judgeFiltered, judgeUnlisted, judgeUnwatched } from "./shown-deleted.ts";

const getArtifact = rpc("alpha.v1.ArtifactService/GetArtifact");
const getJob = rpc("alpha.v1.JobService/GetJob");

/** How a read of a deleted resource is answered: for the report. */
function deletedForm(reply: Reply): string {
  if (reply.outcome === "refused") return `a read of something deleted is refused, ${reply.error.code}`;
  return "a read of something deleted shows it as deleted";
}

/** Judges that a read no longer shows the subject as live. Reads may lag behind the deletion. */
async function judgeRead(context: CaseContext, deleted: Reply, subject: Subject): Promise<boolean> {
  const { row, setup, target, judge, observe, poll } = context;
  if (readRowOf(subject.kind, row.package) === undefined) return true;
  let last: Reply | undefined;
  const gone = await poll(async () => {
    last = await setup.read(subject);
    return last.outcome === "refused" || isShownDeleted(context, recordIn(last)) ? last : undefined;
  }, target.settings.patience.settleMs);
  if (gone !== undefined) observe("*.open.deleted-form", deletedForm(gone));
  return judge(deleted, "*.deletion.effective", last === undefined ? [] : [last]).satisfies(
    gone !== undefined,
    `the ${subject.kind} gone, or shown as deleted`,
    last === undefined ? "not read" : describeReply(last),
  );
}

/** Fields that another record may have in common with one that is deleted. */
const likeFields = ["name", "url"];

/**
 * A record that is like the subject, of another user where it is a user's; none where the target takes none such, and just
 * another one where nothing says how it is to be alike.
 */
async function namesakesOf(context: CaseContext, subject: Subject): Promise<readonly Subject[]> {
  const { row, setup } = context;
  const creates = row.peers.find((one) => one.subject === subject.kind && one.effect === Effect.CREATE && one.record);
  const taken = new Set(creates?.input.fields.map(({ jsonName }) => jsonName));
  const like = likeFields.filter((name) => taken.has(name) && subject.record[name] !== undefined);
  // Two more of its kind make a listing of several pages.
  if (creates === undefined || like.length === 0) return [await setup.fresh(subject.kind)];
  const same = Object.fromEntries(like.map((name) => [name, subject.record[name] ?? null]));
  const elsewhere = taken.has("customerUserId") ? (await setup.otherUser()).fields : {};
  // What another user has is on no page of this one.
  const more = taken.has("customerUserId") ? [await setup.fresh(subject.kind)] : [];
  try {
    return [await create(context, creates, { ...same, ...elsewhere }), ...more];
  } catch (error) {
    // Names may have to be unique.
    if (error instanceof Unproven) return more;
    throw error;
  }
}

/** Other records of the subject's kind, which its deletion must leave alone: a new one, or those listed with it. */
async function siblingsOf(context: CaseContext, subject: Subject): Promise<readonly Subject[]> {
  const { row, setup } = context;
  // A new memory item would belong to another user.
  if (subject.kind !== "memory_item")
    return [await setup.fresh(subject.kind), ...(await namesakesOf(context, subject))];
  const list = listRowOf(subject.kind, row.package);
  if (list === undefined) return [];
  const { records } = await listAll(context, list, await setup.request(list, subject));
  const { id: field } = recordFields(list);
  const others = records.filter((record) => !sameJson(record[field], subject.id));
  return others.map((record) => ({ ...subject, record, id: record[field] ?? null, version: versionOf(record) }));
}

/** What else the job of an artifact has resulted in, and shows; nothing where no job owns it. */
async function resultsBeside(
  { setup }: CaseContext,
  { kind, id, record, baseUrl }: Subject,
): Promise<readonly Subject[]> {
  const { owningJobId: owner = null } = record;
  if (kind !== "artifact" || isDefault(owner)) return [];
  const job = await setup.current({ ...subjectFrom(getJob, { id: owner }), baseUrl });
  const others = listAt(job?.record, "resultArtifactIds").filter((other) => !sameJson(other, id));
  const seen = others.map((other) => setup.current({ ...subjectFrom(getArtifact, { id: other }), baseUrl }));
  return (await Promise.all(seen)).filter((one) => one !== undefined && !setup.isTombstone(one.record)) as Subject[];
}

/** Judges that a deletion deleted no other record. */
async function judgeSiblings(
  { setup, judge }: CaseContext,
  deleted: Reply,
  siblings: readonly Subject[],
  clause = "*.deletion.names",
) {
  for (const sibling of siblings) {
    const left = await setup.current(sibling);
    const stays = left !== undefined && !setup.isTombstone(left.record);
    const seen = stays ? "still there" : `another ${sibling.kind} is gone too`;
    judge(deleted, clause).satisfies(stays, "nothing deleted but what the reply names", seen);
  }
}

/** Creates a subject and others of its kind, and deletes the subject. Undefined where the server refuses to delete. */
async function deleteNew(context: CaseContext) {
  const { row, setup, needs } = context;
  const subject = await setup.subjectOf(row);
  if (subject === undefined) throw new Error(`${row.name} has no subject`);
  const siblings = await siblingsOf(context, subject);
  // The positive control: the subject can be read before its deletion.
  if (readRowOf(subject.kind, row.package) !== undefined) needs(await setup.read(subject));
  const deleted = await deleteOnceIdle(context, subject);
  // A refusal is final where the subject exists.
  if (deleted.outcome === "refused" && (await setup.current(subject)) !== undefined) return undefined;
  // A served reply without content is judged by what it must name.
  if (deleted.outcome !== "served") needs(deleted);
  return { subject, siblings, deleted };
}

/** How often a deletion is tried on a new subject: a server that deletes too much may have deleted it already. */
const attempts = 12;

async function deleteFresh(context: CaseContext) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deleteNew(context);
    } catch (error) {
      if (!(error instanceof Unproven) || error.reply?.outcome === "broken" || attempt >= attempts) throw error;
    }
  }
}

/** Judges that a deletion which was served names its subject, which can no longer be read or listed as live. */
async function judgeGone(context: CaseContext, deleted: Reply, subject: Subject): Promise<void> {
  const { row, judge } = context;
  const named = row.output.fields.find((field) => factsOf(field).names === row.subject);
  if (named !== undefined) judge(deleted).shows(named.jsonName, subject.id);
  if (row.record !== undefined) judge(deleted).shows(`${row.record.name}.${recordFields(row).id}`, subject.id);
  // A resource that a read shows as live will be listed too: one cause, one finding.
  if (!(await judgeRead(context, deleted, subject))) return;
  await judgeUnlisted(context, deleted, subject);
  await judgeUnwatched(context, deleted, subject);
  await judgeFiltered(context, deleted, subject);
}

/** Judges the same of a subject in another state; which states permit a deletion is not shown. */
async function judgeInState(context: CaseContext, state: string): Promise<void> {
  const { row, setup, call } = context;
  const subject = await setup.fresh(`${row.subject}:${state}`);
  const results = await resultsBeside(context, subject);
  const deleted = await call(row, await setup.request(row, subject), { baseUrl: setup.baseUrl(row, subject) });
  if (deleted.outcome !== "served") return;
  await judgeGone(context, deleted, subject);
  await judgeSiblings(context, deleted, results, "*.records.untouched");
}

/** Judges that a deletion names the deleted resource, which can no longer be read or listed as live. */
async function judgeDeletion(context: CaseContext): Promise<void> {
  const { row, setup, call, observe } = context;
  const done = await deleteFresh(context);
  if (done === undefined) throw new Unproven(`needs ${row.name}, which refuses to delete what is there`);
  const { subject, siblings, deleted } = done;
  const baseUrl = setup.baseUrl(row, subject);
  await judgeGone(context, deleted, subject);
  await judgeSiblings(context, deleted, siblings);

  const again = await call(row, await setup.request(row, subject), { baseUrl });
  const answer = again.outcome === "refused" ? `refused, ${again.error.code}` : again.outcome;
  observe("*.open.deleted-form", `a second deletion is ${answer}`);
}

export const deletion = defineRule({
  id: "lifecycle/deleted-resource-is-gone",
  says: "a deletion names the deleted resource, in whatever state it is deleted, which can no longer be read or listed as live",
  clauses: ["*.deletion.names", "*.deletion.effective", "*.records.untouched"],
  rows: (row) => row.effect === Effect.DELETE && subjectFieldOf(row) !== undefined,
  async run(context) {
    await inBothTenants(context, judgeDeletion);
    // Smoke has few requests.
    if (context.run.depth === "smoke") return;
    // A state that the target does not have says nothing of the others.
    await Promise.all(otherStatesOf(context.row).map((state) => orUndefined(judgeInState(context, state))));
  },
});
