import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { listRowOf } from "../../../proto/resources.ts";

/**
 * Judges that a listing shows nothing of a deleted subject where it is filtered by what the subject showed: by each field alone,
 * and by all of them. A condition may be left out where another is put. Listings may lag behind the deletion.
 *
 * @param isGone whether a record is shown as what was deleted
 */
export async function judgeFiltered(
  context: CaseContext,
  deleted: Reply,
  subject: Subject,
  isGone: (record: JsonObject) => boolean,
): Promise<void> {
  const { row, setup, target, judge, poll } = context;
  const list = listRowOf(subject.kind, row.package);
  if (list === undefined) return;
  const fields = list.filters.map(({ name }) => name).filter((name) => !isDefault(subject.record[name]));
  const sets = fields.length > 1 ? [...fields.map((name) => [name]), fields] : [fields];
  for (const set of sets.filter((names) => names.length > 0)) {
    const filter = Object.fromEntries(set.map((name) => [name, subject.record[name] ?? null]));
    const request = { ...(await setup.request(list, subject)), ...filter };
    let replies: readonly Reply[] = [];
    let record: JsonObject | undefined;
    await poll(async () => {
      const listed = await listAll(context, list, request, { baseUrl: subject.baseUrl });
      replies = listed.replies;
      record = findRecord(listed.records, list, subject.id);
      return record === undefined || isGone(record) ? true : undefined;
    }, target.settings.patience.settleMs);
    const reply = pageNaming(replies, subject.id) ?? replies.at(-1);
    if (reply === undefined) return;
    const held = judge(reply, "*.deletion.effective", [deleted]).satisfies(
      record === undefined || isGone(record),
      `no live ${subject.kind} that was deleted, by ${showJson(filter)}`,
      showJson(record),
    );
    if (!held) return;
  }
}

/**
 * Judges that a watch of a deleted job, if it is served, shows nothing of it. Watches may lag behind the deletion.
 *
 * @param isGone whether a record is shown as what was deleted
 */
export async function judgeUnwatched(
  context: CaseContext,
  deleted: Reply,
  subject: Subject,
  isGone: (record: JsonObject) => boolean,
): Promise<void> {
  const { row, setup, call, judge, poll, target } = context;
  if (subject.kind !== "job" || row.package !== "alpha.v1") return;
  const { settleMs, quietMs } = target.settings.patience;
  const { baseUrl } = subject;
  const isJob = ({ json: { job } }: { readonly json: JsonObject }) => isObject(job) && !isGone(job);
  let last: Reply | undefined;
  await poll(async () => {
    last = await call(
      "alpha.v1.JobService/WatchJob",
      { ...setup.tenant(), jobId: subject.id },
      { baseUrl, listenMs: quietMs, enough: (messages) => messages.some(isJob) },
    );
    return last.messages.some(isJob) ? undefined : true;
  }, settleMs);
  if (last === undefined) return;
  const shown = last.messages.find(isJob)?.json;
  judge(last, "*.deletion.effective", [deleted]).satisfies(
    shown === undefined,
    "no live job that was deleted",
    showJson(shown ?? null),
  );
}
