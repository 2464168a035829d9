import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { findRecord, listAll } from "../setup/listing.ts";
import { withoutState } from "../setup/required-state.ts";
import { recordIn } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";

/** A kind of record with the RPCs that read one or list them; at least one of the two. */
export interface ReadableKind {
  readonly kind: string;
  readonly readRow: RpcRow | undefined;
  readonly listRow: RpcRow | undefined;
}

/** Pages of a listing that are read at most: a listing that other cases add to may be long. */
const maxPages = 8;

/** The records of a listing; `complete` where every page was read. */
export interface Listing {
  readonly records: readonly JsonObject[];
  readonly replies: readonly Reply[];
  readonly complete: boolean;
}

async function listRequest({ setup }: CaseContext, listRow: RpcRow, subject: Subject): Promise<JsonObject> {
  const request = withoutState(listRow, await setup.request(listRow, subject));
  return { ...request, ...subject.within, page: { pageSize: 100 } };
}

/** Lists the records of a kind where a subject is, until `isEnough` of those listed so far, or for 8 pages. */
export async function listRecords(
  context: CaseContext,
  { kind, listRow }: ReadableKind,
  subject: Subject,
  isEnough: (listed: readonly JsonObject[]) => boolean = () => false,
): Promise<Listing> {
  if (listRow === undefined) throw new Error(`nothing lists ${kind}`);
  const request = await listRequest(context, listRow, subject);
  const listed: JsonObject[] = [];
  let pages = 0;
  return listAll(context, listRow, request, { baseUrl: subject.baseUrl }, (page) => {
    listed.push(...page);
    pages += 1;
    return pages >= maxPages || isEnough(listed);
  });
}

/**
 * Reads one record, or finds it in its listing. `record` is undefined where it was not found.
 * @throws Unproven where no reply is usable
 */
export async function readRecord(
  context: CaseContext,
  kind: ReadableKind,
  subject: Subject,
): Promise<{ readonly reply: Reply; readonly record: JsonObject | undefined }> {
  if (kind.readRow === undefined) return findInListing(context, kind, subject);
  const reply = await context.setup.read(subject);
  if (reply.outcome === "broken") context.needs(reply);
  return { reply, record: reply.outcome === "served" ? recordIn(reply) : undefined };
}

/** Reads pages to the end: only a record that is on none of them was not found. */
async function findInListing(context: CaseContext, { kind, listRow }: ReadableKind, subject: Subject) {
  if (listRow === undefined) throw new Error(`nothing shows a ${kind}`);
  const find = (records: readonly JsonObject[]) => findRecord(records, listRow, subject.id);
  const { baseUrl } = subject;
  const request = await listRequest(context, listRow, subject);
  const listing = await listAll(context, listRow, request, { baseUrl }, (page) => find(page) !== undefined);
  const reply = listing.replies.at(-1);
  if (reply === undefined || !listing.ended) throw new Unproven(`needs a listing with an end, of ${listRow.name}`);
  return { reply, record: find(listing.records) };
}
