import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { findRecord, listAll, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { deleteRowOf, isSteady, recordFields, siblingsOf, switches } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Pages a traversal aims at. */
const pagesAimed = 5;

/** A listing of what a call makes and another deletes, so that both can be done between two pages. */
const changesAtWill = (row: RpcRow) =>
  row.list !== undefined &&
  isSteady(row) &&
  siblingsOf(row).some(({ effect, fixture }) => effect === Effect.CREATE && !fixture) &&
  deleteRowOf(row.subject, row.package) !== undefined;

/** A record of the case's own. An endpoint is switched off, so that it is told of nothing that ends meanwhile. */
async function make(context: CaseContext): Promise<Subject> {
  const subject = await context.setup.fresh(context.row.subject);
  if (!siblingsOf(context.row).some(switches)) return subject;
  const off = await updateEndpoint(context, subject, { enabled: false });
  context.needs(off);
  return { ...subject, record: recordIn(off), version: versionOf(recordIn(off)) };
}

/** What is done after a page, given its records: another is made, or one of them deleted. True once it is done. */
type Change = (page: readonly JsonObject[]) => Promise<boolean>;

/** Records as a traversal in short pages shows them, with a change between two; undefined where none could be made. */
async function traverse(context: CaseContext, request: JsonObject, pageSize: number, change: Change) {
  const { row, setup, call, needs } = context;
  const records: JsonObject[] = [];
  const replies: Reply[] = [];
  const baseUrl = await setup.homeUrl(row);
  let cursor = "";
  let done = false;
  do {
    const asked = { ...request, ...freshRequestId(row, setup), page: { pageSize, cursor } };
    const reply = await call(row, asked, { baseUrl });
    replies.push(reply);
    const json = needs(reply);
    const items = listAt(json, row.list?.name ?? "") as JsonObject[];
    records.push(...items);
    cursor = textAt(json, "page.nextCursor");
    done ||= cursor !== "" && (await change(items));
  } while (cursor !== "" && replies.length < pagesAimed * 4);
  return done ? { records, replies, ended: cursor === "" } : undefined;
}

/**
 * A page size by which a page ends between two of our own records, as they are listed: what one page loses, or is given, moves
 * the next. Where none does, one that makes few pages.
 */
function sizeBetween(count: number, places: readonly number[]): number {
  const usual = Math.max(2, Math.ceil(count / pagesAimed));
  const ends = places.slice(0, -1).map((place) => place + 1);
  const sizes = Array.from({ length: 2 * usual }, (_, index) => Math.max(2, Math.ceil(usual / 2)) + index);
  return sizes.find((size) => ends.some((end) => end % size === 0)) ?? usual;
}

const idsOf = (row: RpcRow, records: readonly JsonObject[]) =>
  records.map((record) => showJson(record[recordFields(row).id]).toLowerCase());

/** Judges that what existed throughout is shown once, although the listing changed between two pages. */
async function judgeTraversal(
  context: CaseContext,
  request: JsonObject,
  what: string,
  own: readonly Subject[],
  change: Change,
): Promise<boolean> {
  const { row, setup, judge } = context;
  const baseUrl = await setup.homeUrl(row);
  const listed = async () => listAll(context, row, { ...request, page: { pageSize: 100 } }, { baseUrl });
  const before = await listed();
  const places = before.records.flatMap((record, place) =>
    own.some(({ id }) => findRecord([record], row, id) !== undefined) ? [place] : [],
  );
  const pageSize = sizeBetween(before.records.length, places);
  const pages = await traverse(context, request, pageSize, change);
  if (pages === undefined || !pages.ended || !before.ended) return false;
  const after = new Set(idsOf(row, (await listed()).records));
  const shown = idsOf(row, pages.records);
  const throughout = idsOf(row, before.records).filter((id) => after.has(id));
  const missing = throughout.find((id) => !shown.includes(id));
  const repeated = throughout.find((id) => shown.indexOf(id) !== shown.lastIndexOf(id));
  const last = pages.replies.at(-1) as Reply;
  const judged = judge(last, undefined, pages.replies.slice(0, -1));
  const expected = `each record once that was there before and after, while ${what} between two pages`;
  judged.satisfies(missing === undefined, expected, `${missing} is on no page`, row.list?.name);
  judged.satisfies(repeated === undefined, expected, `${repeated} appears again`, row.list?.name);
  return true;
}

export const changed = defineRule({
  id: "paging/changes-between-pages-hide-and-repeat-nothing",
  says: "records that are made or deleted between two pages neither hide nor repeat the others",
  clauses: ["*.paging.traversal"],
  rows: changesAtWill,
  async run(context) {
    const { row, setup, call, needs } = context;
    const remove = deleteRowOf(row.subject, row.package);
    if (remove === undefined) return;
    const own = await Promise.all(Array.from({ length: 4 }, () => make(context)));
    const request = await setup.request(row, own[0]);
    const insert: Change = async () => {
      await make(context);
      return true;
    };
    const drop = async (subject: Subject) => {
      const now = (await setup.current(subject)) ?? subject;
      needs(await call(remove, await setup.request(remove, now), { baseUrl: subject.baseUrl }));
    };
    const asked = await judgeTraversal(context, request, "one more was made", own, insert);
    // What is deleted stood before those on the next page.
    await judgeTraversal(context, request, "one was deleted", own, async (page) => {
      const subject = own.find(({ id }) => findRecord(page, row, id) !== undefined);
      if (subject !== undefined) await drop(subject);
      return subject !== undefined;
    });
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page");
  },
});
