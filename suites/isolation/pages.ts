import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { createTrail } from "../../harness/setup/page-trail.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** Pages that are read of a listing: what later pages show too much may come after what is the caller's own. */
const maxPages = 6;

/** What pages are judged for: records that are none of the caller's. */
export interface Foreign {
  /** Whose they are: `another workspace`. */
  readonly of: string;
  readonly isForeign: (record: JsonObject) => boolean;
  /** The clause that forbids it, where it is not the case's first. */
  readonly clause?: string;
  /** How many records a page is asked for; by default one. */
  readonly pageSize?: number;
  /** The listing may be refused, as one that is narrowed by nothing, or by something else (docs/contract/readings.md#27). */
  readonly mayBeRefused?: boolean;
}

/** Tells whether a listed record is one of some. */
export const oneOf = (row: RpcRow, subjects: readonly Subject[]) => (record: JsonObject) =>
  subjects.some(({ id }) => findRecord([record], row, id) !== undefined);

/** Judges that one page shows nothing foreign. */
function judgePage({ row, judge }: CaseContext, reply: Reply, { of, isForeign, clause }: Foreign): void {
  if (reply.outcome !== "served") return;
  const found = listAt(reply.json, row.list?.name ?? "")
    .filter(isObject)
    .find(isForeign);
  judge(reply, clause).satisfies(found === undefined, `no record of ${of}`, showJson(found ?? null));
}

/** Judges that a listing which asks for no page, or for none of any size, shows nothing foreign; that it is served is not shown. */
export async function judgeUnsized(
  context: CaseContext,
  { page: _, ...request }: JsonObject,
  options: CallOptions,
  foreign: Foreign,
): Promise<void> {
  const { row, setup, call } = context;
  const unsized: readonly JsonObject[] = [request, { ...request, page: {} }];
  for (const asked of unsized)
    judgePage(context, await call(row, { ...asked, ...freshRequestId(row, setup) }, options), foreign);
}

/** Judges that the first pages of a listing show nothing foreign. */
export async function judgePages(
  context: CaseContext,
  request: JsonObject,
  options: CallOptions,
  foreign: Foreign,
): Promise<void> {
  const { row, setup, needs } = context;
  const { pageSize = 1, mayBeRefused = false } = foreign;
  const trail = createTrail();
  let cursor = "";
  for (let page = 0; page < maxPages; page += 1) {
    const id: JsonObject = freshRequestId(row, setup);
    const { reply } = await callListing(context, row, { ...request, ...id, page: { pageSize, cursor } }, options);
    if (page === 0 && mayBeRefused && reply.outcome === "refused") return;
    const again = trail.back(cursor, reply);
    if (again !== undefined) {
      cursor = again.cursor;
      continue;
    }
    const json = needs(reply);
    trail.read({ cursor, count: 0 });
    judgePage(context, reply, foreign);
    cursor = textAt(json, "page.nextCursor");
    if (cursor === "") return;
  }
}
