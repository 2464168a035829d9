import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { messageOfKind, recordFields } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { sameRecord } from "../oracles/agreement.ts";
import { isDefault, listAt, objectAt, sameJson, textAt } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";
import { callListing } from "./page-size.ts";
import { freshRequestId } from "./request-id.ts";

/** A record that a row showed, as a subject; `more` is what is known beside. */
export function subjectFrom(row: RpcRow, record: JsonObject, more: Partial<Subject> = {}): Subject {
  return {
    kind: row.subject,
    id: record[recordFields(row).id] ?? null,
    record,
    version: versionOf(record),
    changesOnlyByMutation: true,
    ...ofUser(record.customerUserId),
    ...more,
  };
}

/** What a served call made or changed, as a subject. */
export function subjectIn(reply: Reply): Subject {
  // Who was asked for narrows what is asked next, whatever the reply says of him.
  return subjectFrom(reply.row, recordIn(reply), ofUser(reply.request.customerUserId));
}

function ofUser(customerUserId: JsonValue | undefined): Pick<Subject, "within"> {
  return customerUserId === undefined || customerUserId === null ? {} : { within: { customerUserId } };
}

/** True for a record shown as deleted, by targets that keep what was deleted readable. */
export function isTombstone(record: JsonObject): boolean {
  return textAt(record, "deletedAt") !== "" || /_STATE_DELETED$/.test(textAt(record, "state"));
}

/** Whether a record is what it was before, as far as the contract knows its fields. */
export function isAsBefore(packageName: string, before: Subject, record: JsonObject): boolean {
  return sameRecord(messageOfKind(before.kind, packageName), before.record, record);
}

/** The record in a reply, by the row's own shape. */
export function recordIn(reply: Reply): JsonObject {
  return reply.outcome === "served" && reply.row.record !== undefined
    ? objectAt(reply.json, reply.row.record.name)
    : {};
}

/** The record a served reading shows. Throws Unproven where it shows none: an empty one would say of its resource what is not so. */
export function shownIn(reply: Reply): JsonObject {
  const record = recordIn(reply);
  if (Object.keys(record).length > 0) return record;
  throw new Unproven(`needs ${reply.row.name} to show a record, which was ${describeReply(reply)}`, reply);
}

/** The own id of the record in a reply; null where there is none. */
export function idIn(reply: Reply): JsonValue {
  return recordIn(reply)[recordFields(reply.row).id] ?? null;
}

/** The own id of the record in a reply. Throws Unproven where there is none: what has no id is not the same as another. */
export function ownIdIn(reply: Reply): JsonValue {
  const id = idIn(reply);
  if (isDefault(id)) throw new Unproven(`needs ${reply.row.name} to show the id of its ${reply.row.subject}`);
  return id;
}

/** The version a record carries, as text; "0" where it carries none (absent and zero read alike). */
export function versionOf(record: JsonObject): string {
  return textAt(record, "resourceVersion") || "0";
}

/** How far a listing is followed, in pages. */
interface Reach {
  /** While it goes on showing what was not seen before: how many items a page holds is the server's to say. */
  readonly pages: number;
  /** While less than half of what is shown is new, page after page: there is no end to come. */
  readonly fruitless: number;
}

const far: Reach = { pages: 1000, fruitless: 100 };
/** Where it is known that the listing has no end. */
const near: Reach = { pages: 100, fruitless: 10 };

/** Says how far a traversal of a row goes: that its listing has no end is found by a few, and known to all others. */
function reachOf({ run: { circuits } }: CaseContext, row: RpcRow) {
  const end = `an end of ${row.name}`;
  const isTriedAgain = circuits.isKnown(end) && circuits.inVain(end) === undefined;
  return {
    get most(): Reach {
      return !isTriedAgain && circuits.isKnown(end) ? near : far;
    },
    ended: (came: boolean) => circuits.ended(end, came),
  };
}

/** What tells a listed item from the others, whatever has changed of it meanwhile. */
function idText(item: JsonObject, row: RpcRow): string {
  const id = item[recordFields(row).id];
  return JSON.stringify(isDefault(id) ? item : id);
}

/**
 * Lists the records of a row, page by page: all, or until `enough` has been seen on one. `ended` is false where it
 * leads in a circle, or on and on to nothing new. Throws Unproven where there is more than can be read.
 */
export async function listAll(
  context: CaseContext,
  row: RpcRow,
  request: JsonObject,
  options: CallOptions = {},
  enough: (page: readonly JsonObject[]) => boolean = () => false,
): Promise<{ readonly records: readonly JsonObject[]; readonly replies: readonly Reply[]; readonly ended: boolean }> {
  const records: JsonObject[] = [];
  const replies: Reply[] = [];
  const turnedBefore = new Set<string>();
  const seenBefore = new Set<string>();
  const reach = reachOf(context, row);
  let fruitless = 0;
  let cursor = "";
  let asked = objectAt(request, "page");
  for (let turned = 0; turned < reach.most.pages; turned += 1) {
    // Another page is another request.
    const fresh = freshRequestId(row, context.setup);
    const { reply, page } = await callListing(
      context,
      row,
      { ...request, ...fresh, page: { ...asked, cursor } },
      options,
      turned === 0 ? undefined : [],
    );
    asked = page;
    replies.push(reply);
    const json = context.needs(reply);
    const items = listAt(json, row.list?.name ?? "") as JsonObject[];
    records.push(...items);
    // The same cursor with the same items again: there is no end to come. A cursor alone may be a handle that stays.
    const seen = `${cursor} ${JSON.stringify(items)}`;
    if (items.length > 0 && turnedBefore.has(seen)) return { records, replies, ended: false };
    turnedBefore.add(seen);
    cursor = textAt(json, "page.nextCursor");
    if (cursor === "") reach.ended(true);
    if (cursor === "" || enough(items)) return { records, replies, ended: true };
    const known = seenBefore.size;
    for (const item of items) seenBefore.add(idText(item, row));
    // What others make meanwhile may be new on a page that is shown again.
    fruitless = (seenBefore.size - known) * 2 > items.length ? 0 : fruitless + 1;
    if (fruitless >= reach.most.fruitless) {
      reach.ended(false);
      return { records, replies, ended: false };
    }
  }
  const { pages } = reach.most;
  reach.ended(false);
  throw new Unproven(`needs a listing that can be read; ${row.name} goes on after ${pages} pages`);
}

/** Finds a record by id among the listed. */
export function findRecord(records: readonly JsonObject[], row: RpcRow, id: JsonValue): JsonObject | undefined {
  const { id: field } = recordFields(row);
  return records.find((record) => sameJson(record[field], id));
}
