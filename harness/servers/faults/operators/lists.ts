import { clone, create, type Message } from "@bufbuild/protobuf";
import { siblingsOf } from "../../../../proto/resources.ts";
import { Effect, type FactField, type RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import type { CursorPosition } from "../../reference/core/parts.ts";
import type { SharedDecoration } from "../fault.ts";
import { kept } from "../isolation/isolation.ts";
import { kinds, listing, listings, pagingFaults } from "../paging/paging.ts";
import { applyOperator, type Site } from "./operator.ts";
import { isolationClause, without } from "./sites.ts";

interface ListSite extends Site {
  readonly says: string;
  readonly breaks: string;
  readonly decorate: (row: RpcRow) => SharedDecoration;
}

const more: typeof kinds = [
  [
    "drops-first-of-later",
    "leaves out the first item of every page but the first",
    "paging.traversal",
    (row) => listing(row, (items, _cursor, asked) => (asked === "" ? {} : { items: items.slice(1) })),
  ],
  [
    "repeats-last-on-last",
    "shows the last item twice",
    "paging.traversal",
    (row) => listing(row, (items, cursor) => (cursor === "" ? { items: [...items, ...items.slice(-1)] } : {})),
  ],
  [
    "forgets-the-last-page",
    "has no last page",
    "paging.traversal",
    (row) => listing(row, (items, cursor, asked) => (cursor === "" && asked !== "" ? { items: [] } : { items })),
  ],
  [
    "all-on-one-page",
    "puts everything on one page, whatever was asked for",
    "paging.size",
    (row) => ({ parts: (parts) => ({ pageSize: onRpc(row.name, parts.pageSize, () => 100_000) }) }),
  ],
  [
    "cursor-stands",
    "gives the cursor it was sent, so that the traversal stands still",
    "paging.traversal",
    (row) => listing(row, (_items, cursor, asked) => (cursor === "" || asked === "" ? {} : { cursor: asked })),
  ],
  [
    "refuses-its-cursors",
    "does not know the cursors it issues",
    "paging.traversal",
    (row) => ({ parts: (parts) => ({ decodeCursor: onRpc(row.name, parts.decodeCursor, () => undefined) }) }),
  ],
];

/** Where a kind is known by its listing only, an empty one leaves nothing to ask about. */
const known = (row: RpcRow) => siblingsOf(row).some(({ effect }) => effect === Effect.CREATE);

export const pages = applyOperator({
  name: "pages",
  area: "paging",
  says: ({ says }) => says,
  breaks: ({ breaks }) => breaks,
  // Of a listing within something else only its own cases know what it must show.
  also: ({ row, which }) => (which === "no-items" && row.filters.length > 0 ? ["*.filters.complete"] : []),
  entails: ({ which }) => (which === "all-on-one-page" ? ["*.paging.shape"] : []),
  sites: [...kinds, ...more].flatMap(([id, says, breaks, decorate]) =>
    listings
      .filter(without(pagingFaults, `-${id}`))
      .filter((row) => id !== "no-items" || known(row))
      .map((row): ListSite => ({ row, which: id, says, breaks: `*.${breaks}`, decorate })),
  ),
  plant: ({ row, decorate }) => decorate(row),
  // A page between the first and the last, or one of two items before the last, takes three.
  equivalent: ({ row, which = "" }) =>
    ["cursor-stands", "drops-at-border"].includes(which) && row.package === "beta.v1" && row.subject === "artifact"
      ? "a run of the reference leaves two artifacts"
      : undefined,
});

interface FilterSite extends Site {
  readonly filter: FactField;
  readonly on: "every" | "first" | "later";
}

/** The request without a filter. */
function unfiltered(row: RpcRow, request: Message, { field: { localName } }: FactField): Message {
  return Object.assign(clone(row.input, request), { [localName]: readField(create(row.input), localName) });
}

const cursorOf = (request: Message) =>
  (readField(request, "page") as { readonly cursor: string } | undefined)?.cursor ?? "";

/** Forgets one filter on some pages. Its cursors are good with and without it. */
function forgetting({ row, filter, on }: FilterSite): SharedDecoration {
  return {
    parts: (parts) => ({ decodeCursor: onRpc(row.name, parts.decodeCursor, readOwnCursor) }),
    handlers: {
      [row.name]: (next) => (context, request) => {
        const forgets = on === "every" || (on === "first") === (cursorOf(request) === "");
        return next(context, forgets ? unfiltered(row, request, filter) : request);
      },
    },
  };
}

/** The position of a cursor of this listing and tenant, whatever its filter. */
function readOwnCursor(context: Context, cursor: string): CursorPosition | undefined {
  const position = readCursor(context, cursor);
  return position?.rpc === context.row.name && position.tenant === tenantKey(context.tenant) ? position : undefined;
}

export const filters = applyOperator({
  name: "filter-forgotten",
  area: "paging",
  says: ({ at, on }) =>
    `forgets ${at} on ${on === "every" ? "every page" : on === "first" ? "the first page" : "later pages"}`,
  breaks: "*.filters.hold",
  sites: listings.flatMap((row) =>
    row.filters.flatMap((filter) =>
      (["every", "first", "later"] as const).map((on): FilterSite => ({ row, filter, on, at: filter.name, which: on })),
    ),
  ),
  plant: forgetting,
  // Only the fixtures make jobs, so that another mini app's listing has no later pages.
  equivalent: ({ at, on }) =>
    at === "miniAppId" && on === "later" ? "every job there is is of one mini app" : undefined,
});

/** Live records of a kind that belong to another workspace. */
function foreignRecords(context: Context): readonly Message[] {
  const { world, row, workspaceId } = context;
  const others = new Set([...world.principals.values()].map((one) => one.workspaceId));
  others.delete(workspaceId);
  const entries = [...others].flatMap((id) => world.tables[row.subject]?.entries(id) ?? []);
  return entries.filter(({ deleted }) => !deleted).map(({ record }) => record);
}

export const strangersLater = applyOperator({
  name: "foreign-items-later",
  area: "isolation",
  says: () => "shows records of other workspaces on every page but the first",
  breaks: ({ row }) => isolationClause(row),
  // Within something of its own a listing has nothing of others that would fit.
  sites: listings
    .filter((row) => kept.has(row.subject) && !row.filters.some(({ facts }) => facts.names !== ""))
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const reply = await next(context, request);
        if (cursorOf(request) === "") return reply;
        const listed = row.list?.field.localName ?? "";
        const own = readField(reply as Message, listed) as readonly Message[];
        return Object.assign(reply, { [listed]: [...own, ...foreignRecords(context)] });
      },
    },
  }),
});
