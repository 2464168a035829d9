import { clone, create, type Message } from "@bufbuild/protobuf";
import type { FactField, RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import type { CursorPosition } from "../../reference/core/parts.ts";
import { onReply } from "../edit.ts";
import type { EitherDecoration } from "../fault.ts";
import { replacing, wrapping } from "../steps.ts";

/** Pages of a listing. */
export type Pages = "every page" | "the first page" | "later pages";

/** The cursor a request brings; empty on the first page. */
export function cursorOf(request: Message): string {
  return (readField(request, "page") as { readonly cursor: string } | undefined)?.cursor ?? "";
}

/** The position of a cursor of this listing and tenant, whatever its filter. */
function readOwnCursor(context: Context, cursor: string): CursorPosition | undefined {
  const position = readCursor(context, cursor);
  return position?.rpc === context.row.name && position.tenant === tenantKey(context.tenant) ? position : undefined;
}

/** The request without a filter. */
function unfiltered(row: RpcRow, request: Message, { field: { localName } }: FactField): Message {
  return Object.assign(clone(row.input, request), { [localName]: readField(create(row.input), localName) });
}

function filterNamed(row: RpcRow, name: string): FactField {
  const filter = row.filters.find((one) => one.name === name);
  if (filter === undefined) throw new Error(`${row.name} has no filter ${name}`);
  return filter;
}

/** Forgets one filter on some pages, of some requests. Its cursors are good with and without it. */
export function forgetting(
  name: string,
  on: Pages = "every page",
  of: (request: Message) => boolean = () => true,
): (row: RpcRow) => EitherDecoration {
  return (row) => {
    const filter = filterNamed(row, name);
    return {
      ...replacing(() => ({ decodeCursor: readOwnCursor }))(row),
      ...wrapping((next) => (context, request) => {
        const forgetsPage = on === "every page" || (on === "the first page") === (cursorOf(request) === "");
        return next(context, forgetsPage && of(request) ? unfiltered(row, request, filter) : request);
      })(row),
    };
  };
}

/** Filters a page once it is cut, and ends where one has become short. */
export const endingShort =
  (name: string): ((row: RpcRow) => EitherDecoration) =>
  (row) => {
    const filter = filterNamed(row, name);
    const { localName } = filter.field;
    return {
      ...replacing(() => ({ decodeCursor: readOwnCursor }))(row),
      ...wrapping((next) => async (context, request) => {
        const wanted = readField(request, localName);
        const reply = await next(context, unfiltered(row, request, filter));
        if (wanted === readField(create(row.input), localName)) return reply;
        const list = row.list?.field.localName ?? "";
        const items = (readField(reply as Message, list) as readonly Message[]) ?? [];
        const fitting = items.filter((item) => readField(item, localName) === wanted);
        const page = fitting.length < items.length ? undefined : readField(reply as Message, "page");
        return Object.assign(reply, { [list]: fitting, page });
      })(row),
    };
  };

/** Goes by the filters that a cursor was issued for, whatever filters it is sent with. */
export const bindingCursors = (row: RpcRow): EitherDecoration => {
  const askedFor = new Map<string, Message>();
  const cursorIn = (reply: Message) =>
    (readField(reply, "page") as { readonly nextCursor: string } | undefined)?.nextCursor ?? "";
  return {
    ...replacing(() => ({ decodeCursor: readOwnCursor }))(row),
    ...wrapping((next) => async (context, request) => {
      const first = askedFor.get(cursorOf(request)) ?? request;
      const filters = row.filters.map(({ field: { localName } }) => [localName, readField(first, localName)]);
      const reply = await next(context, Object.assign(clone(row.input, request), Object.fromEntries(filters)));
      if (cursorIn(reply as Message) !== "") askedFor.set(cursorIn(reply as Message), first);
      return reply;
    })(row),
  };
};

/** Shows one item of every page: of all listings, or of those that name a filter. */
export function firstOfPage(list: string, filter?: string) {
  return onReply((json, { request }) => {
    const items = json[list];
    if (!Array.isArray(items) || (filter !== undefined && request[filter] === undefined)) return json;
    return { ...json, [list]: items.slice(0, 1) };
  });
}
