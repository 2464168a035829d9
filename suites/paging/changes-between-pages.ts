import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { createItems } from "../../harness/setup/beta/memory-item.ts";
import { findRecord, type Listing, listAll } from "../../harness/setup/listing.ts";
import { callListing, usualPageSize } from "../../harness/setup/page-size.ts";
import { createTrail } from "../../harness/setup/page-trail.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { createDeliveries, finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { disable } from "../../harness/setup/webhook-endpoint.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { deleteRowOf, isSteady, recordFields, siblingsOf, switches } from "../../proto/resources.ts";
import { Change as ChangeKind, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeSame, steadyRecords } from "./steady-records.ts";

/** Pages a traversal aims at, and pages of it at most. */
const [pagesAimed, maxPages] = [5, 200];

/** A listing of what a call makes and another deletes, so that both can be done between two pages. */
const changesAtWill = (row: RpcRow) =>
  row.list !== undefined &&
  isSteady(row) &&
  siblingsOf(row).some(({ effect, fixture }) => effect === Effect.CREATE && !fixture) &&
  deleteRowOf(row.subject, row.package) !== undefined;

/** A record of the case's own. An endpoint is switched off, so that it is told of nothing that ends meanwhile. */
async function make(context: CaseContext): Promise<Subject> {
  const subject = await context.setup.fresh(context.row.subject);
  return siblingsOf(context.row).some(switches) ? disable(context, subject) : subject;
}

/** What is done after a page, given its records: another is made, or one of them deleted. True once it is done. */
type Change = (page: readonly JsonObject[]) => Promise<boolean>;

/**
 * Records as a traversal in short pages shows them, with a change between two; undefined where none could be made. Where pages of
 * the size aimed at are refused, those that the target lists are asked for.
 */
async function traverse(context: CaseContext, request: JsonObject, count: number, sizeAimed: number, change: Change) {
  const { row, setup, needs } = context;
  const usual = await usualPageSize(context, row);
  const records: JsonObject[] = [];
  const replies: Reply[] = [];
  const baseUrl = await setup.homeUrl(row);
  const trail = createTrail();
  let cursor = "";
  let [done, ended] = [false, false];
  let pageSize = sizeAimed;
  // Of the shortest page but the last: a target may make pages shorter than they are asked for.
  let shortest = sizeAimed;
  while (!ended && replies.length < Math.min(maxPages, Math.max(pagesAimed * 4, (2 * count) / shortest))) {
    const asked = { ...request, ...freshRequestId(row, setup), page: { pageSize, cursor } };
    const { reply, page } = await callListing(context, row, asked, { baseUrl }, cursor === "" ? [usual] : []);
    pageSize = Number(page.pageSize);
    replies.push(reply);
    const back = trail.back(cursor, reply);
    if (back !== undefined) {
      records.length = back.count;
      cursor = back.cursor;
      continue;
    }
    const json = needs(reply);
    const items = listAt(json, row.list?.name ?? "") as JsonObject[];
    trail.read({ cursor, count: records.length });
    records.push(...items);
    cursor = textAt(json, "page.nextCursor");
    ended = cursor === "";
    if (!ended) shortest = Math.max(1, Math.min(shortest, items.length));
    done ||= !ended && (await change(items));
  }
  return done ? { records, replies, ended, isShort: shortest < pageSize } : undefined;
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

/** How often a traversal is tried that does not end, as others add more meanwhile than its short pages show. */
const tries = 3;

/**
 * A listing before a traversal, and the traversal with its change; undefined where none could be made. What grew meanwhile is
 * traversed in pages of its new size. Throws Unproven where no traversal ends.
 */
async function traverseToTheEnd(
  context: CaseContext,
  request: JsonObject,
  own: readonly Subject[],
  listed: () => Promise<Listing>,
  change: Change,
) {
  for (let tried = 0; tried < tries; tried += 1) {
    const before = await listed();
    if (!before.ended) return undefined;
    const places = before.records.flatMap((record, place) =>
      own.some(({ id }) => findRecord([record], context.row, id) !== undefined) ? [place] : [],
    );
    const pageSize = sizeBetween(before.records.length, places);
    const pages = await traverse(context, request, before.records.length, pageSize, change);
    if (pages === undefined) return undefined;
    if (pages.ended) return { before, pages };
    if (pages.isShort)
      throw new ChosenOtherwise("the target gives pages too short for a listing to be read to its end");
  }
  throw new Unproven("needs a listing that does not grow faster than its pages are read");
}

/** Judges that what existed throughout is shown once, although the listing changed between two pages. */
export async function judgeTraversal(
  context: CaseContext,
  request: JsonObject,
  what: string,
  own: readonly Subject[],
  change: Change,
): Promise<boolean> {
  const { row, setup, judge } = context;
  const baseUrl = await setup.homeUrl(row);
  const listed = async () => listAll(context, row, { ...request, page: { pageSize: 100 } }, { baseUrl });
  const traversed = await traverseToTheEnd(context, request, own, listed, change);
  if (traversed === undefined) return false;
  const { before, pages } = traversed;
  const later = await listed();
  const after = new Set(idsOf(row, later.records));
  const shown = idsOf(row, pages.records);
  const throughout = idsOf(row, before.records).filter((id) => after.has(id));
  const missing = throughout.find((id) => !shown.includes(id));
  const repeated = throughout.find((id) => shown.indexOf(id) !== shown.lastIndexOf(id));
  const last = pages.replies.at(-1) as Reply;
  const judged = judge(last, undefined, pages.replies.slice(0, -1));
  const expected = `each record once that was there before and after, while ${what} between two pages`;
  judged.satisfies(missing === undefined, expected, `${missing} is on no page`, row.list?.name);
  judged.satisfies(repeated === undefined, expected, `${repeated} appears again`, row.list?.name);
  // Some were changed before, which a later page may have missed.
  if (isSteady(row))
    judgeSame(context, pages, steadyRecords(row, before, later), [...before.replies, ...later.replies]);
  return true;
}

/**
 * Rotates two records after a page that shows one of them: the one that is shown, and one that no page has shown. A listing in
 * the order of updates would repeat the one and hide the other.
 */
function rotating({ row, setup, call }: CaseContext, own: readonly Subject[]): Change {
  const rotate = siblingsOf(row).find(({ change }) => change === ChangeKind.ROTATES);
  const shown = new Set<Subject>();
  return async (page) => {
    const here = own.filter(({ id }) => findRecord(page, row, id) !== undefined);
    for (const subject of here) shown.add(subject);
    const later = own.find((subject) => !shown.has(subject));
    if (rotate === undefined || here[0] === undefined || later === undefined) return false;
    let done = false;
    for (const subject of [here[0], later]) {
      const now = (await setup.current(subject)) ?? subject;
      const reply = await call(rotate, await setup.request(rotate, now), { baseUrl: subject.baseUrl });
      // That a rotation is refused is judged elsewhere.
      done ||= reply.outcome === "served";
    }
    return done;
  };
}

/**
 * Deletes one that a page has shown, so that those on the next page move up: the last of a page, which the cursor may be of, as far as
 * a page ends with one of the own.
 */
export function deleting({ row, setup, call, needs }: CaseContext, own: readonly Subject[]): Change {
  const remove = setup.deleteOf(row.subject);
  const shown = new Set<Subject>();
  return async (page) => {
    const here = own.filter(({ id }) => findRecord(page, row, id) !== undefined);
    for (const subject of here) shown.add(subject);
    const last = here.find(({ id }) => findRecord(page.slice(-1), row, id) !== undefined);
    const subject = last ?? (shown.size >= own.length - 1 ? here[0] : undefined);
    if (subject === undefined) return false;
    const now = await setup.deletable((await setup.current(subject)) ?? subject);
    needs(await call(remove, await setup.request(remove, now), { baseUrl: subject.baseUrl }));
    return true;
  };
}

export const changed = defineRule({
  id: "paging/changes-between-pages-hide-and-repeat-nothing",
  says: "records that are made, deleted or rotated between two pages neither hide nor repeat any, and the others are shown as they are",
  clauses: ["*.paging.traversal", "*.records.agree"],
  rows: changesAtWill,
  async run(context) {
    const { row, setup } = context;
    const own = await Promise.all(Array.from({ length: 4 }, () => make(context)));
    const request = await setup.request(row, own[0]);
    const insert: Change = async () => {
      await make(context);
      return true;
    };
    const asked = await judgeTraversal(context, request, "one more was made", own, insert);
    const rotated = "one that was shown and one that was not were rotated";
    await judgeTraversal(context, request, rotated, own, rotating(context, own));
    await judgeTraversal(context, request, "one was deleted", own, deleting(context, own));
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page");
  },
});

export const deliveriesMade = defineRule({
  id: "paging/deliveries-made-between-pages-hide-and-repeat-nothing",
  says: "deliveries that are made between two pages neither hide nor repeat any",
  clauses: ["*.paging.traversal"],
  rows: (row) => row.subject === "webhook_delivery" && row.list !== undefined,
  async run(context) {
    const { row, setup } = context;
    const own = await createDeliveries(context, 3, { goesOn: true });
    const request = await setup.request(row, undefined, own[0]?.within);
    const count = async () => (await listAll(context, row, request, { baseUrl: own[0]?.baseUrl })).records.length;
    const asked = await judgeTraversal(context, request, "one more was made", own, async () => {
      const before = await count();
      await finishedWork(context);
      const grown = await pollForDelivery(context, async () => ((await count()) > before ? true : undefined));
      return grown === true;
    });
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page, or delivers nothing more");
  },
});

export const itemsDeleted = defineRule({
  id: "paging/memory-deleted-between-pages-hides-nothing",
  says: "a memory item that is deleted between two pages hides no other",
  clauses: ["*.paging.traversal"],
  // Nothing but runs makes items: each user has its own, of which none is made between two pages.
  rows: rowsNamed("beta.v1.MemoryService/ListMemoryItems"),
  async run(context) {
    const { row, setup } = context;
    const own = await createItems(context, 4);
    if (own.length < 3) throw new ChosenOtherwise("runs leave fewer items than make two pages");
    const request = await setup.request(row, own[0]);
    const asked = await judgeTraversal(context, request, "one was deleted", own, deleting(context, own));
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page");
  },
});
