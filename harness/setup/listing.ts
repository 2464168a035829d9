import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { recordFields } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import { Unproven } from "../case/unproven.ts";
import { idKey, isDefault, listAt, objectAt, sameJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { callListing } from "./page-size.ts";
import { createTrail } from "./page-trail.ts";
import { freshRequestId } from "./request-id.ts";
import { appFields } from "./required-app.ts";
import { requiredState } from "./required-state.ts";

/** How far a listing is followed, in pages. */
interface Reach {
  /** While it goes on showing what was not seen before: how many items a page holds is the server's to say. */
  readonly pages: number;
  /** While less than half of what is shown is new, page after page: there is no end to come. */
  readonly fruitless: number;
  /** While pages are empty and lead to others: what was deleted may be left out of pages that it still counts for. */
  readonly empty: number;
}

const far: Reach = { pages: 1000, fruitless: 100, empty: 900 };
/** Where it is known that the listing has no end. */
const near: Reach = { pages: 100, fruitless: 10, empty: 10 };

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
  return id === undefined || isDefault(id) ? JSON.stringify(item) : idKey(id);
}

/** What a listing shows. */
export interface Listing {
  readonly records: readonly JsonObject[];
  readonly replies: readonly Reply[];
  /** False where it leads in a circle, or on and on to nothing new. */
  readonly ended: boolean;
  /** Every page was read. */
  readonly complete: boolean;
}

/**
 * Lists the records of a row, page by page: all, or until `enough` has been seen on one; state by state where the target
 * lists no other way. Throws Unproven where there is more than can be read.
 */
export async function listAll(
  context: CaseContext,
  row: RpcRow,
  request: JsonObject,
  options: CallOptions = {},
  enough: (page: readonly JsonObject[]) => boolean = () => false,
): Promise<Listing> {
  const required = await requiredState(context, row);
  const app = await appFields(context, row);
  const list = (asked: JsonObject) => listPages(context, row, { ...app, ...asked }, options, enough);
  if (required === undefined || !isDefault(request[required.name])) return list(request);
  const parts: Listing[] = [];
  for (const state of required.states) {
    const part = await list({ ...request, [required.name]: state });
    parts.push(part);
    if (!part.complete) break;
  }
  // What has moved on meanwhile is shown again, as it is now.
  const records = new Map(parts.flatMap((part) => part.records.map((record) => [idText(record, row), record])));
  return {
    records: [...records.values()],
    replies: parts.flatMap(({ replies }) => replies),
    ended: parts.every(({ ended }) => ended),
    complete: parts.every(({ complete }) => complete),
  };
}

/** Lists by one request, as `listAll` does, and asks for nothing that the target may have to be asked for. */
export async function listPages(
  context: CaseContext,
  row: RpcRow,
  request: JsonObject,
  options: CallOptions,
  enough: (page: readonly JsonObject[]) => boolean,
): Promise<Listing> {
  const records: JsonObject[] = [];
  const replies: Reply[] = [];
  const turnedBefore = new Set<string>();
  const seenBefore = new Set<string>();
  const reach = reachOf(context, row);
  const trail = createTrail();
  let [fruitless, empty] = [0, 0];
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
    const back = trail.back(cursor, reply);
    if (back !== undefined) {
      cursor = back.cursor;
      records.length = back.count;
      turnedBefore.clear();
      continue;
    }
    replies.push(reply);
    const json = context.needs(reply);
    const items = listAt(json, row.list?.name ?? "") as JsonObject[];
    trail.read({ cursor, count: records.length });
    records.push(...items);
    // The same cursor with the same items again: there is no end to come. A cursor alone may be a handle that stays.
    const seen = `${cursor} ${JSON.stringify(items)}`;
    if (items.length > 0 && turnedBefore.has(seen)) return { records, replies, ended: false, complete: false };
    turnedBefore.add(seen);
    const came = cursor;
    cursor = textAt(json, "page.nextCursor");
    if (cursor === "") reach.ended(true);
    if (cursor === "" || enough(items)) return { records, replies, ended: true, complete: cursor === "" };
    const known = seenBefore.size;
    for (const item of items) seenBefore.add(idText(item, row));
    // What others make meanwhile may be new on a page that is shown again.
    const isNew = (seenBefore.size - known) * 2 > items.length;
    const leadsOn = items.length === 0 && cursor !== came;
    empty = leadsOn ? empty + 1 : 0;
    fruitless = isNew ? 0 : fruitless + (leadsOn ? 0 : 1);
    if (fruitless >= reach.most.fruitless || empty >= reach.most.empty) {
      reach.ended(false);
      return { records, replies, ended: false, complete: false };
    }
  }
  const { pages } = reach.most;
  reach.ended(false);
  throw new Unproven(`needs a listing that can be read; ${row.name} goes on after ${pages} pages`);
}

/** Finds a record by id among the listed; without an id nothing is found, also where records have none. */
export function findRecord(records: readonly JsonObject[], row: RpcRow, id: JsonValue): JsonObject | undefined {
  const { id: field } = recordFields(row);
  if (isDefault(id)) return undefined;
  return records.find((record) => sameJson(record[field], id));
}
