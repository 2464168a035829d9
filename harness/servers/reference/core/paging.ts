import { createHmac, timingSafeEqual } from "node:crypto";
import type { Message } from "@bufbuild/protobuf";
import { type Context, tenantKey } from "./context.ts";
import type { CursorPosition } from "./parts.ts";
import { refuseFields } from "./refusal.ts";
import type { Entry } from "./store.ts";

/** What a listing needs to know of a record. */
export type Listed<T extends Message> = Pick<Entry<T>, "ordinal" | "record" | "deleted">;

/** One page. `nextCursor` is empty on the last. */
export interface Page<T extends Message> {
  readonly records: T[];
  readonly page: { readonly nextCursor: string };
}

/** Items on a page: the requested number, within the bounds of the choices. */
export function pageSize(context: Context, requested: number): number {
  const { defaultPageSize, maximumPageSize } = context.world.choices;
  return Math.min(requested === 0 ? defaultPageSize : requested, maximumPageSize);
}

function authenticationCode(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest().subarray(0, 16);
}

/** An opaque cursor that cannot be made or altered by a client: position and code. */
export function encodeCursor(context: Context, position: CursorPosition): string {
  const { rpc, tenant = tenantKey(context.tenant), filter, after } = position;
  const text = JSON.stringify([rpc, tenant, filter, after]);
  return Buffer.concat([authenticationCode(context.world.cursorKey, text), Buffer.from(text)]).toString("base64url");
}

/** The position in a cursor of ours, whatever it was made for. Undefined for any other text. */
export function readCursor(context: Context, cursor: string): CursorPosition | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length < 16 || bytes.toString("base64url") !== cursor) return undefined;
  const text = bytes.subarray(16).toString();
  if (!timingSafeEqual(bytes.subarray(0, 16), authenticationCode(context.world.cursorKey, text))) return undefined;
  const [rpc, tenant, filter, after] = JSON.parse(text) as [string, string, string, number];
  return { rpc, tenant, filter, after };
}

/** The position of a cursor, if it was made by this RPC for this tenant and filter. */
export function decodeCursor(context: Context, cursor: string, filter: string): CursorPosition | undefined {
  const position = readCursor(context, cursor);
  const ours =
    position?.rpc === context.row.name && position.tenant === tenantKey(context.tenant) && position.filter === filter;
  return ours ? position : undefined;
}

/**
 * A page of a listing. `source` gives a tenant's entries in creation order, already filtered; `filter` names the
 * filter, so that a cursor is good for it alone. Records that come and go during a traversal neither repeat nor hide others.
 */
export function pageOf<T extends Message>(
  context: Context,
  requested: { pageSize: number; cursor: string } | undefined,
  source: (tenant: string) => readonly Listed<T>[],
  filter = "",
): Page<T> {
  const { parts, choices } = context.world;
  const { pageSize: size = 0, cursor = "" } = requested ?? {};
  const position: CursorPosition | undefined =
    cursor === "" ? { rpc: context.row.name, filter, after: 0 } : parts.decodeCursor(context, cursor, filter);
  if (position === undefined) refuseFields({ field: "page.cursor", description: "is not a cursor of this listing" });

  if (cursor === "" && choices.emptyFirstPage)
    return { records: [], page: { nextCursor: parts.encodeCursor(context, position) } };

  const descending = choices.listOrder === "descending";
  const isShown = (entry: { readonly deleted: boolean }) => choices.listTombstones || !entry.deleted;
  const listed = source(position.tenant ?? tenantKey(context.tenant)).filter(
    (entry) => choices.pagesCountDeleted || isShown(entry),
  );
  if (descending) listed.reverse();
  const rest = listed.filter(
    ({ ordinal }) => position.after === 0 || (descending ? ordinal < position.after : ordinal > position.after),
  );
  const shown = rest.slice(0, parts.pageSize(context, size));
  const last = shown.at(-1);
  const more = last !== undefined && (rest.length > shown.length || choices.emptyLastPage);
  return {
    records: shown.filter(isShown).map((entry) => entry.record),
    page: { nextCursor: more ? parts.encodeCursor(context, { ...position, after: last.ordinal }) : "" },
  };
}
