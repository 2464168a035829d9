import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case.ts";
import { NotExercised } from "../../harness/context.ts";
import { findRecord, listAll } from "../../harness/given/subject.ts";
import { instantOf, listAt, showJson, textAt } from "../../harness/json.ts";
import { describeReply, isObject } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

const listing = (row: RpcRow) => row.list !== undefined;
/** Pages a traversal may take: the workspace may hold a lot beside what the case knows of. */
const fewPages = 12;

const isOf = (record: JsonObject, row: RpcRow, id: JsonValue) => findRecord([record], row, id) !== undefined;

/** How records lie in a listing by when they were made; undefined where they do not say, or are too few. */
function orderOf(records: readonly JsonObject[]): string | undefined {
  const times = records.flatMap((record) => instantOf(record.createdAt) ?? []);
  if (times.length < 2 || times.length < records.length) return undefined;
  const steps = times.slice(1).map((time, index) => Number(time - (times[index] ?? time)));
  if (steps.every((step) => step >= 0)) return "the oldest first";
  return steps.every((step) => step <= 0) ? "the newest first" : "not by when they were made";
}

export const traversal = defineRule({
  id: "paging/traversal-shows-each-item-once",
  says: "following nextCursor from the empty cursor to its end shows every item once",
  clauses: ["*.paging.traversal", "*.paging.shape"],
  rows: listing,
  async run(context) {
    const { row, given, judge, note } = context;
    const { subjects, request, baseUrl } = await given.listed(row);
    const whole = await listAll(context, row, { ...request, page: { pageSize: 100 } }, { baseUrl });
    const order = orderOf(whole.records.filter((record) => subjects.some(({ id }) => isOf(record, row, id))));
    if (order !== undefined) note("*.open.list-order", order);
    const sizes = [1, 2, 3].map((size) => Math.max(size, Math.ceil(whole.records.length / fewPages)));
    for (const pageSize of new Set(sizes)) {
      const { records, replies, ended } = await listAll(context, row, { ...request, page: { pageSize } }, { baseUrl });
      const [last] = replies.slice(-1);
      if (last === undefined) return;
      const judged = judge(last, undefined, replies.slice(0, -1));
      judged.satisfies(ended, "an empty nextCursor in the end", `none after ${replies.length} pages of ${pageSize}`);
      for (const subject of subjects) {
        const times = records.filter((record) => isOf(record, row, subject.id)).length;
        judged.satisfies(
          times === 1,
          `${showJson(subject.id)} once, in pages of ${pageSize}`,
          `${times} times`,
          row.list?.name,
        );
      }
    }
  },
});

export const emptyCursor = defineRule({
  id: "paging/empty-cursor-is-the-first-page",
  says: "an empty cursor is accepted and means the first page, as no cursor does",
  clauses: ["*.paging.empty-cursor", "*.paging.shape"],
  rows: listing,
  async run({ row, given, call, judge, note }) {
    const { subjects, request, baseUrl } = await given.listed(row);
    const pages: readonly (JsonObject | undefined)[] = [
      undefined,
      {},
      { cursor: "" },
      { pageSize: 100, cursor: "" },
      { pageSize: 0, cursor: "" },
    ];
    // Sent as text: a Connect client leaves an empty cursor out.
    const replies = await Promise.all(
      pages.map((page) => {
        const id: JsonObject = row.requestId === undefined ? {} : { [row.requestId.name]: given.requestId() };
        const asked: JsonObject = { ...id, ...request, ...(page === undefined ? {} : { page }) };
        return call(row, asked, { baseUrl, body: JSON.stringify(asked) });
      }),
    );
    for (const reply of replies) {
      if (!judge(reply).isServed() || reply.outcome !== "served") continue;
      const items = listAt(reply.json, row.list?.name ?? "");
      judge(reply, "*.paging.shape").satisfies(
        items.length > 0,
        `items: ${subjects.length} or more exist`,
        describeReply(reply),
        row.list?.name,
      );
    }
    const large = await call(row, { ...request, page: { pageSize: 100_000 } }, { baseUrl });
    note(
      "*.open.page-size",
      large.outcome === "served"
        ? "a page size of 100000 is served, clamped or not"
        : "a page size of 100000 is refused",
    );
  },
});

export const oneItem = defineRule({
  id: "paging/page-of-one-has-a-cursor-for-more",
  says: "a page smaller than the listing carries a nextCursor, and it leads on",
  clauses: ["*.paging.shape", "*.paging.traversal"],
  rows: listing,
  async run({ row, given, call, judge, needs, note }) {
    const { subjects, request, baseUrl } = await given.listed(row);
    if (subjects.length < 2) {
      throw new NotExercised(`a second ${row.subject.replaceAll("_", " ")}`, "a listing of one item has one page");
    }
    const first = await call(row, { ...request, page: { pageSize: 1 } }, { baseUrl });
    const cursor = textAt(needs(first), "page.nextCursor");
    if (
      !judge(first).satisfies(
        cursor !== "",
        `a nextCursor: ${subjects.length} items exist`,
        showJson(cursor),
        "page.nextCursor",
      )
    )
      return;
    const second = await call(row, { ...request, page: { pageSize: 1, cursor } }, { baseUrl });
    judge(second, "*.paging.traversal", [first]).isServed();
    const [a, b] = [first, second].map((reply) =>
      (reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "") : []).find(isObject),
    );
    const repeated = a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
    judge(second, "*.paging.traversal", [first]).satisfies(
      !repeated,
      "another item than on the page before",
      showJson(b ?? null),
      row.list?.name,
    );
    const bad = await call(row, { ...request, page: { pageSize: 1, cursor: `${cursor}x` } }, { baseUrl });
    note("*.open.bad-cursor", `a cursor the server never issued is ${bad.outcome}`);
  },
});
