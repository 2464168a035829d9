import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";

/** The first page of a listing that has more. */
export interface PartialPage {
  readonly first: Reply;
  /** Of the next page; empty where the lack of one was entered as a breach. */
  readonly cursor: string;
  /** What was asked, without its page. */
  readonly request: JsonObject;
  readonly pageSize: number;
}

/**
 * The first page of a listing in pages as short as the target makes them, judged to have a nextCursor if it does not show
 * all there is. Throws ChosenOtherwise where one page shows everything: how small pages may be is not shown.
 *
 * @param listing the request of the listing, where it is not the one that setup lists by
 */
export async function partialPage(context: CaseContext, listing?: JsonObject): Promise<PartialPage> {
  const { row, setup, judge, needs } = context;
  const listed = await setup.listed(row);
  const { subjects, baseUrl } = listed;
  const request = listing ?? listed.request;
  const named = row.subject.replaceAll("_", " ");
  if (subjects.length < 2) throw new ChosenOtherwise(`the listing shows one ${named}, which is one page`);
  const asked = { ...request, page: { pageSize: 1 } };
  const { reply: first, page } = await callListing(context, row, asked, { baseUrl });
  const cursor = textAt(needs(first), "page.nextCursor");
  const items = listAt(needs(first), row.list?.name ?? "").filter(isObject);
  if (cursor === "" && subjects.every(({ id }) => findRecord(items, row, id) !== undefined)) {
    throw new ChosenOtherwise(`the shortest page that the target gives shows all ${items.length} items of the listing`);
  }
  judge(first, "*.paging.shape").satisfies(
    cursor !== "",
    `a nextCursor: ${subjects.length} items exist`,
    showJson(cursor),
    "page.nextCursor",
  );
  return { first, cursor, request, pageSize: Number(page.pageSize) };
}
