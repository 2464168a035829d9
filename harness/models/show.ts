import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { findRecord, listAll, recordIn } from "../setup/subject.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** What shows a kind of record: a reading of one, a listing, or both. */
export interface Views {
  readonly kind: string;
  readonly reads: RpcRow | undefined;
  readonly lists: RpcRow | undefined;
}

/** Listings others add to may be long: so many pages of them are turned to. */
const maxPages = 8;

/** What a listing showed; `whole` where every page was turned to. */
export interface Listing {
  readonly records: readonly JsonObject[];
  readonly replies: readonly Reply[];
  readonly whole: boolean;
}

async function requestOf({ setup }: CaseContext, lists: RpcRow, subject: Subject): Promise<JsonObject> {
  return { ...(await setup.request(lists, subject)), ...subject.within, page: { pageSize: 100 } };
}

/** Lists a kind where a subject is, until `enough` has been seen, or for 8 pages. */
export async function listRecords(
  context: CaseContext,
  { kind, lists }: Views,
  subject: Subject,
  enough: (seen: readonly JsonObject[]) => boolean = () => false,
): Promise<Listing> {
  if (lists === undefined) throw new Error(`nothing lists ${kind}`);
  const request = await requestOf(context, lists, subject);
  const seen: JsonObject[] = [];
  let pages = 0;
  const { records, replies } = await listAll(context, lists, request, { baseUrl: subject.baseUrl }, (page) => {
    seen.push(...page);
    pages += 1;
    return pages >= maxPages || enough(seen);
  });
  const last = replies.at(-1);
  return { records, replies, whole: last?.outcome === "served" && textAt(last.json, "page.nextCursor") === "" };
}

/** Reads one record, or finds it in its listing. `record` undefined: it is not there. Unproven where no reply is usable. */
export async function showRecord(
  context: CaseContext,
  views: Views,
  subject: Subject,
): Promise<{ readonly reply: Reply; readonly record: JsonObject | undefined }> {
  if (views.reads === undefined) {
    const { lists } = views;
    if (lists === undefined) throw new Error(`nothing shows a ${views.kind}`);
    const found = (records: readonly JsonObject[]) => findRecord(records, lists, subject.id);
    const { baseUrl } = subject;
    // However many pages it takes: what was not looked for to the end is not gone.
    const shown = await listAll(
      context,
      lists,
      await requestOf(context, lists, subject),
      { baseUrl },
      (page) => found(page) !== undefined,
    );
    const reply = shown.replies.at(-1);
    if (reply === undefined || !shown.ended) throw new Unproven(`needs a listing with an end, of ${lists.name}`);
    return { reply, record: found(shown.records) };
  }
  const reply = await context.setup.read(subject);
  if (reply.outcome === "broken") context.needs(reply);
  return { reply, record: reply.outcome === "served" ? recordIn(reply) : undefined };
}
