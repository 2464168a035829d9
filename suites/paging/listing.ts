import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { usualPageSize } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { instantOf, listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, isObject } from "../../harness/wire/reply.ts";
import { recordFields } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { partialPage } from "../common/partial-page.ts";
import { areSame, idOf, judgeSame, type Listing, steadyRecords } from "./steady-records.ts";

const listing = (row: RpcRow) => row.list !== undefined;
/** Pages a traversal aims at: the workspace may hold many records besides those of the case. */
const maxPages = 12;

const isOf = (record: JsonObject, row: RpcRow, id: JsonValue) => findRecord([record], row, id) !== undefined;

/** How a listing is ordered by creation time; undefined where records do not show it, or are too few. */
function orderOf(records: readonly JsonObject[]): string | undefined {
  const times = records.flatMap((record) => instantOf(record.createdAt) ?? []);
  if (times.length < 2 || times.length < records.length) return undefined;
  const steps = times.slice(1).map((time, index) => Number(time - (times[index] ?? time)));
  if (steps.every((step) => step >= 0)) return "the oldest first";
  return steps.every((step) => step <= 0) ? "the newest first" : "not by when they were made";
}

function idsOf(row: RpcRow, records: readonly JsonObject[]): Set<string> {
  return new Set(records.map((record) => idOf(row, record)));
}

/** The id of a record that existed before and appears twice in a traversal, unchanged: a record that is changed meanwhile may move. */
function repeatedOf(row: RpcRow, before: readonly JsonObject[], records: readonly JsonObject[]): JsonValue | undefined {
  const known = idsOf(row, before);
  const seen = new Map<string, JsonObject>();
  for (const record of records) {
    const id = idOf(row, record);
    const other = seen.get(id);
    if (other !== undefined && known.has(id) && areSame(row, other, record)) return record[recordFields(row).id];
    seen.set(id, record);
  }
  return undefined;
}

/** Judges one traversal in pages of a size: it ends, and shows nothing twice. Returns false where it does not end. */
function judgePages({ row, judge }: CaseContext, before: Listing, pages: Listing, pageSize: number): boolean {
  const { records, replies, ended } = pages;
  const [last] = replies.slice(-1);
  if (last === undefined) return false;
  const judged = judge(last, undefined, replies.slice(0, -1));
  const none = `none after ${replies.length} pages of ${pageSize}`;
  if (!judged.satisfies(ended, "an empty nextCursor in the end", none)) return false;
  const twice = repeatedOf(row, before.records, records);
  judged.satisfies(twice === undefined, "no record twice", `${showJson(twice ?? null)} appears again`, row.list?.name);
  return true;
}

/** Judges that a traversal shows every record that existed before and after it, whoever created it. */
function judgeComplete({ row, judge }: CaseContext, before: Listing, pages: Listing, after: Listing): void {
  const [last] = pages.replies.slice(-1);
  const throughout = idsOf(row, before.records).intersection(idsOf(row, after.records));
  const [missing] = throughout.difference(idsOf(row, pages.records));
  if (last === undefined) return;
  judge(last, undefined, pages.replies.slice(0, -1)).satisfies(
    missing === undefined,
    "every record that exists before and after",
    `${missing} is on no page`,
    row.list?.name,
  );
}

/** The smallest size from `least` on that so many records are whole pages of; undefined where there is none but all of them. */
function evenSize(records: number, least: number): number | undefined {
  const sizes = Array.from({ length: Math.max(0, Math.floor(records / 2) - least + 1) }, (_, index) => least + index);
  return sizes.find((size) => records % size === 0);
}

/** Traversals of a listing that keeps growing, which hides whether its last page is complete. */
const attempts = 3;

/** Judges that following nextCursor from the first page to the end shows every item exactly once. */
async function judgeTraversal(context: CaseContext): Promise<void> {
  const { row, setup, judge, observe } = context;
  const { subjects, request, baseUrl } = await setup.listed(row);
  const list = (pageSize: number) => listAll(context, row, { ...request, page: { pageSize } }, { baseUrl });
  // A listing may lag more than is known of it: what it shows once, every traversal after that shows.
  const showsAll = ({ ended, records }: Listing) => !ended || subjects.every(({ id }) => findRecord(records, row, id));
  let before = await lookUntil(context, () => list(100), showsAll);
  if (!before.ended) {
    judgePages(context, before, before, 100);
    return;
  }
  const order = orderOf(before.records.filter((record) => subjects.some(({ id }) => isOf(record, row, id))));
  if (order !== undefined) observe("*.open.list-order", order);
  // Where the target keeps pages small, one more traversal is enough.
  const many = before.replies.length > 2 * maxPages;
  for (let attempt = 1, grown = true; grown && attempt <= attempts; attempt += 1) {
    const count = before.records.length;
    const least = Math.ceil(count / maxPages);
    // One of which the last page is as full as the others, as far as nobody adds to the listing meanwhile.
    const even = evenSize(count, Math.max(1, least)) ?? 1;
    const sizes = [even, 1, 2, 3].map((size) => Math.max(size, least));
    const traversals: Listing[] = [];
    for (const pageSize of new Set(sizes.slice(0, attempt === 1 && !many ? 4 : 1))) {
      const pages = await list(pageSize);
      if (!judgePages(context, before, pages, pageSize)) return;
      traversals.push(pages);
      const [last] = pages.replies.slice(-1);
      if (last === undefined) return;
      for (const subject of subjects) {
        const times = pages.records.filter((record) => isOf(record, row, subject.id)).length;
        judge(last, undefined, pages.replies.slice(0, -1)).satisfies(
          times === 1,
          `${showJson(subject.id)} once, in pages of ${pageSize}`,
          `${times} times`,
          row.list?.name,
        );
      }
    }
    if (many) return;
    if (subjects.length > 1 && traversals.every(({ replies }) => replies.length === 1))
      throw new ChosenOtherwise("the shortest pages that the target gives show the whole listing at once");
    const after = await list(100);
    const steady = steadyRecords(row, before, after);
    for (const pages of traversals) {
      judgeComplete(context, before, pages, after);
      judgeSame(context, pages, steady, [...before.replies, ...after.replies]);
    }
    grown = idsOf(row, after.records).difference(idsOf(row, before.records)).size > 0;
    before = after;
  }
}

export const traversal = defineRule({
  id: "paging/traversal-shows-each-item-once",
  says: "following nextCursor from the first page to the end shows every item exactly once, and as it is on other pages",
  clauses: ["*.paging.traversal", "*.paging.shape", "*.records.agree"],
  rows: listing,
  run: (context) => inBothTenants(context, judgeTraversal),
});

/** Page sizes that an empty cursor is sent with beside what the target lists: none, those at the edges, and what most servers take. */
const sizesAsked: readonly { readonly pageSize?: number }[] = [
  {},
  { pageSize: 0 },
  { pageSize: 20 },
  { pageSize: 100 },
];

/** More than anybody asks for, up to the largest there is: sizes are clamped freely, or refused. */
const largeSizes = [100_000, 2 ** 31 - 1, 2 ** 32 - 1];

export const emptyCursor = defineRule({
  id: "paging/empty-cursor-is-the-first-page",
  says: "an empty cursor is accepted and returns the first page, as no cursor does",
  clauses: ["*.paging.empty-cursor", "*.paging.shape"],
  rows: listing,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const { subjects, request, baseUrl } = await setup.listed(row);
    const usual = await usualPageSize(context, row);
    const sizes = sizesAsked.some(({ pageSize }) => pageSize === usual)
      ? sizesAsked
      : [...sizesAsked, { pageSize: usual }];
    // Sent as text: a Connect client would leave an empty cursor out.
    const ask = (page: JsonObject | undefined) => {
      const id: JsonObject = freshRequestId(row, setup);
      const asked: JsonObject = { ...id, ...request, ...(page === undefined ? {} : { page }) };
      return call(row, asked, { baseUrl, body: JSON.stringify(asked) });
    };
    const withCursor = await Promise.all(sizes.map((size) => ask({ ...size, cursor: "" })));
    const [first, ...others] = withCursor;
    const served = withCursor.find((reply) => reply.outcome === "served");
    // Which sizes are taken, and whether one may be left out, is not shown (docs/contract/readings.md#27).
    if (first !== undefined) judge(served ?? first, undefined, served === undefined ? others : []).isServed();
    const replies = [...withCursor, await ask(undefined), await ask({})];
    const large = await Promise.all(
      largeSizes.map((pageSize) => call(row, { ...request, page: { pageSize } }, { baseUrl })),
    );
    for (const [index, reply] of large.entries()) {
      const outcome = reply.outcome === "served" ? "served, clamped or not" : "refused";
      observe("*.open.page-size", `a page size of ${largeSizes[index]} is ${outcome}`);
    }
    replies.push(...large.filter(({ outcome }) => outcome === "served"));
    for (const [index, reply] of replies.entries()) {
      if (reply.outcome === "refused") {
        const size = sizes[index]?.pageSize;
        const what = index < sizes.length ? `an empty cursor with ${size ?? "no"} page size` : "no cursor";
        observe("*.open.page-size", `a listing with ${what} is refused`);
      } else if (!judge(reply).isServed()) continue;
      if (reply.outcome !== "served") continue;
      const items = listAt(reply.json, row.list?.name ?? "");
      // An empty page with a nextCursor is fine (docs/contract/readings.md#19); the traversal finds what comes after it.
      judge(reply, "*.paging.shape").satisfies(
        items.length > 0 || textAt(reply.json, "page.nextCursor") !== "",
        `items, or a nextCursor that leads to them: ${subjects.length} or more exist`,
        describeReply(reply),
        row.list?.name,
      );
    }
  },
});

export const shortPage = defineRule({
  id: "paging/partial-page-has-a-next-cursor",
  says: "a page that is shorter than the listing carries a nextCursor, which leads to other items",
  clauses: ["*.paging.shape", "*.paging.traversal"],
  rows: listing,
  smoke: rowsNamed("alpha.v1.SecretService/ListSecrets"),
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const { request, baseUrl } = await setup.listed(row);
    const { first, cursor, pageSize } = await partialPage(context);
    if (cursor === "") return;
    const second = await call(row, { ...request, page: { pageSize, cursor } }, { baseUrl });
    judge(second, "*.paging.traversal", [first]).isServed();
    const [a, b] = [first, second].map((reply) =>
      (reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "") : []).find(isObject),
    );
    const repeated = a !== undefined && b !== undefined && areSame(row, a, b);
    judge(second, "*.paging.traversal", [first]).satisfies(
      !repeated,
      "another item than on the page before",
      showJson(b ?? null),
      row.list?.name,
    );
    const bad = await call(row, { ...request, page: { pageSize, cursor: `${cursor}x` } }, { baseUrl });
    observe("*.open.bad-cursor", `a cursor the server never issued is ${bad.outcome}`);
  },
});
