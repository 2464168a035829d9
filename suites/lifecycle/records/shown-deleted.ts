import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { isSwitchedOff, pageNaming } from "../../../harness/oracles/records.ts";
import { findRecord, type Listing, listAll } from "../../../harness/setup/listing.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { listRowOf, messageOfKind, readRowOf } from "../../../proto/resources.ts";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";

const watchJob = rpc("alpha.v1.JobService/WatchJob");

/**
 * Whether a record is shown as what was deleted: marked so, or switched off, where its kind has a switch and no mark. What a
 * read of something deleted answers is not shown.
 */
export function isShownDeleted({ row, setup }: CaseContext, record: JsonObject): boolean {
  return setup.isTombstone(record) || isSwitchedOff(messageOfKind(row.subject, row.package), record);
}

/** How a listing is asked for what was deleted. */
interface Asked {
  readonly list: RpcRow;
  /** Fields of the request that differ from the usual ones, which put no condition on the state. */
  readonly fields: JsonObject;
  /** What the finding says of how it was asked. */
  readonly how: (replies: readonly Reply[]) => string;
}

/**
 * Judges that a listing no longer shows a deleted subject as live. Listings may lag behind the deletion.
 *
 * @returns what was listed last; undefined where the subject was shown or nothing was answered
 */
async function judgeListing(
  context: CaseContext,
  deleted: Reply,
  subject: Subject,
  { list, fields, how }: Asked,
): Promise<Listing | undefined> {
  const { row, setup, target, judge, poll } = context;
  let listed: Listing | undefined;
  let record: JsonObject | undefined;
  await poll(async () => {
    const request = { ...withoutState(list, await setup.request(list, subject)), ...fields };
    listed = await listAll(context, list, request, { baseUrl: subject.baseUrl });
    record = findRecord(listed.records, list, subject.id);
    return record === undefined || isShownDeleted(context, record) ? true : undefined;
  }, target.settings.patience.settleMs);
  const { replies = [] } = listed ?? {};
  const reply = pageNaming(replies, subject.id) ?? replies.at(-1);
  if (reply === undefined) return undefined;
  // Where only a listing can show the subject, the finding goes to the deletion.
  const [judged, related] = readRowOf(subject.kind, row.package) === undefined ? [deleted, [reply]] : [reply, []];
  const held = judge(judged, "*.deletion.effective", related).satisfies(
    record === undefined || isShownDeleted(context, record),
    `no live ${subject.kind} that was deleted${how(replies)}`,
    showJson(record),
  );
  return held ? listed : undefined;
}

/** Pages in which a listing is read once more at most: what is left out of the first one may be on a later one. */
const maxPages = 6;

/** Judges that a listing, in pages of the target's own size and in short ones, no longer shows the subject as live. */
export async function judgeUnlisted(context: CaseContext, deleted: Reply, subject: Subject): Promise<void> {
  const list = listRowOf(subject.kind, context.row.package);
  if (list === undefined) return;
  const listed = await judgeListing(context, deleted, subject, { list, fields: {}, how: () => "" });
  const count = listed?.records.length ?? 0;
  // Where one page holds all there is, no shorter one is asked for.
  if (count < 2) return;
  const page = { pageSize: Math.ceil(count / maxPages) };
  const how = (replies: readonly Reply[]) => `, in ${replies.length} pages`;
  await judgeListing(context, deleted, subject, { list, fields: { page }, how });
}

/**
 * Judges the same of a listing that is filtered by what the subject showed: by each field alone, and by all of them. A
 * condition may be left out where another is put.
 */
export async function judgeFiltered(context: CaseContext, deleted: Reply, subject: Subject): Promise<void> {
  const list = listRowOf(subject.kind, context.row.package);
  if (list === undefined) return;
  const names = list.filters.map(({ name }) => name).filter((name) => !isDefault(subject.record[name]));
  const sets = names.length > 1 ? [...names.map((name) => [name]), names] : names.map((name) => [name]);
  for (const set of sets) {
    const fields = Object.fromEntries(set.map((name) => [name, subject.record[name] ?? null]));
    const how = () => `, by ${showJson(fields)}`;
    if ((await judgeListing(context, deleted, subject, { list, fields, how })) === undefined) return;
  }
}

/** Judges that a watch of a deleted job, if it is served, shows nothing of it as live. Watches may lag behind the deletion. */
export async function judgeUnwatched(context: CaseContext, deleted: Reply, subject: Subject): Promise<void> {
  const { row, setup, call, judge, poll, target } = context;
  if (subject.kind !== "job" || row.package !== watchJob.package) return;
  const { settleMs, quietMs } = target.settings.patience;
  const { baseUrl } = subject;
  const isLive = ({ json: { job } }: { readonly json: JsonObject }) => isObject(job) && !isShownDeleted(context, job);
  let last: Reply | undefined;
  await poll(async () => {
    const request = { ...setup.tenant(), jobId: subject.id };
    last = await call(watchJob, request, {
      baseUrl,
      listenMs: quietMs,
      enough: (messages) => messages.some(isLive),
    });
    return last.messages.some(isLive) ? undefined : true;
  }, settleMs);
  if (last === undefined) return;
  const shown = last.messages.find(isLive)?.json;
  judge(last, "*.deletion.effective", [deleted]).satisfies(
    shown === undefined,
    "no live job that was deleted",
    showJson(shown ?? null),
  );
}
