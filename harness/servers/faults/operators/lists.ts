import type { JsonObject, Message } from "@bufbuild/protobuf";
import { siblingsOf } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { SharedDecoration } from "../fault.ts";
import { recordsOf } from "../isolation/listings.ts";
import { isolationClause, kept } from "../isolation/tenants.ts";
import { bindingCursors, cursorOf, endingShort, forgetting, type Pages } from "../paging/filters.ts";
import { alsoBroken, kinds, listing, listings, pagingFaults } from "../paging/listings.ts";
import { workspacesOf } from "../second-tenant.ts";
import { replacing, wrapping } from "../steps.ts";
import { applyOperator, type Site } from "./operator.ts";
import { without } from "./sites.ts";

interface ListSite extends Site {
  readonly says: string;
  readonly breaks: string;
  readonly decorate: (row: RpcRow) => SharedDecoration;
}

const more: typeof kinds = [
  [
    "drops-first-of-later",
    "leaves out the first item of every page but the first",
    "*.paging.traversal",
    listing(
      () =>
        ({ items, asked }) =>
          asked === "" ? {} : { items: items.slice(1) },
    ),
  ],
  [
    "repeats-last-on-last",
    "shows the last item twice",
    "*.paging.traversal",
    listing(
      () =>
        ({ items, cursor }) =>
          cursor === "" ? { items: [...items, ...items.slice(-1)] } : {},
    ),
  ],
  [
    "forgets-the-last-page",
    "has no last page",
    "*.paging.traversal",
    listing(
      () =>
        ({ cursor, asked }) =>
          cursor === "" && asked !== "" ? { items: [] } : {},
    ),
  ],
  [
    "all-on-one-page",
    "puts everything on one page, whatever was asked for",
    "*.paging.size",
    replacing(() => ({ pageSize: () => 100_000 })),
  ],
  [
    "cursor-stands",
    "gives the cursor it was sent, so that the traversal stands still",
    "*.paging.traversal",
    listing(
      () =>
        ({ cursor, asked }) =>
          cursor === "" || asked === "" ? {} : { cursor: asked },
    ),
  ],
  [
    "refuses-its-cursors",
    "does not know the cursors it issues",
    "*.paging.traversal",
    replacing(() => ({ decodeCursor: () => undefined })),
  ],
];

/** Where a kind is known by its listing only, an empty one leaves nothing to ask about. */
const known = (row: RpcRow) => siblingsOf(row).some(({ effect }) => effect === Effect.CREATE);

export const pages = applyOperator({
  name: "pages",
  area: "paging",
  says: ({ says }) => says,
  breaks: ({ breaks }) => breaks,
  also: ({ row, which = "" }) => alsoBroken(row, which),
  entails: ({ which }) => (which === "all-on-one-page" ? ["*.paging.shape"] : []),
  sites: [...kinds, ...more].flatMap(([id, says, breaks, decorate]) =>
    listings
      .filter(without(pagingFaults, `-${id}`))
      .filter((row) => id !== "no-items" || known(row))
      .map((row): ListSite => ({ row, which: id, says, breaks, decorate })),
  ),
  plant: ({ row, decorate }) => decorate(row),
  // A page between the first and the last, or one of two items before the last, takes three.
  equivalent: ({ row, which = "" }) =>
    ["cursor-stands", "drops-at-border"].includes(which) && row.package === "beta.v1" && row.subject === "artifact"
      ? "a run of the reference leaves two artifacts"
      : undefined,
});

interface FilterSite extends Site {
  readonly at: string;
  readonly on: Pages;
}

/** What the ids of the faults call the pages of a listing. */
const pagesOf = { every: "every page", first: "the first page", later: "later pages" } as const;

export const filters = applyOperator({
  name: "filter-forgotten",
  area: "paging",
  says: ({ at, on }) => `forgets ${at} on ${on}`,
  breaks: "*.filters.hold",
  sites: listings.flatMap((row) =>
    row.filters.flatMap(({ name }) =>
      Object.entries(pagesOf).map(([which, on]): FilterSite => ({ row, on, at: name, which })),
    ),
  ),
  plant: ({ row, at, on }) => forgetting(at, on)(row),
  // Only the fixtures make jobs, so that another mini app's listing has no later pages.
  equivalent: ({ at, on }) =>
    at === "miniAppId" && on === "later pages" ? "every job there is is of one mini app" : undefined,
});

export const filtersOfTheCursor = applyOperator({
  name: "filter-of-the-cursor",
  area: "paging",
  says: () => "goes by the filters that a cursor was issued for, whatever filters it is sent with",
  breaks: "*.filters.cursor",
  sites: listings.filter((row) => row.filters.length > 0).map((row) => ({ row })),
  plant: ({ row }) => bindingCursors(row),
});

export const endsShort = applyOperator({
  name: "ends-at-a-short-page",
  area: "paging",
  says: () => "filters a page by state once it is cut, and ends where one has become short",
  breaks: "*.filters.complete",
  also: ["*.paging.traversal"],
  sites: listings.filter((row) => row.filters.some(({ name }) => name === "state")).map((row) => ({ row })),
  plant: ({ row }) => endingShort("state")(row),
});

export const showsLessLater = applyOperator({
  name: "shows-less-later",
  area: "paging",
  says: ({ at = "" }) => `leaves ${at} out on every page but the first`,
  breaks: "*.records.agree",
  also: ["*.records.filled", "*.webhooks.records", "*.versioning.carried"],
  sites: [
    ["alpha.v1.WebhookService/ListWebhookDeliveries", "lastStatusCode"],
    ["alpha.v1.JobService/ListJobs", "completedAt"],
    ["beta.v1.RunService/ListRuns", "jobId"],
    ["beta.v1.WebhookService/ListWebhookDeliveries", "deliveredAt"],
  ].map(([name = "", at = ""]) => ({ row: rpc(name), at })),
  plant: ({ row, at = "" }) => ({
    reply: (json, call) => {
      const { cursor } = (call.request.page ?? {}) as { readonly cursor?: string };
      const items = json[row.list?.name ?? ""];
      if (call.rpc !== row.name || !cursor || !Array.isArray(items)) return json;
      return { ...json, [row.list?.name ?? ""]: items.map((item) => ({ ...(item as JsonObject), [at]: null })) };
    },
  }),
});

export const foreignItemsLater = applyOperator({
  name: "foreign-items-later",
  area: "isolation",
  says: () => "shows records of other workspaces on every page but the first",
  breaks: ({ row }) => isolationClause(row),
  entails: ["*.records.identity"],
  // Within something of its own a listing has nothing of others that would fit.
  sites: listings
    .filter((row) => kept.has(row.subject) && !row.filters.some(({ facts }) => facts.names !== ""))
    .map((row) => ({ row })),
  plant: ({ row }) =>
    wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      if (cursorOf(request) === "") return reply;
      const listed = row.list?.field.localName ?? "";
      const own = readField(reply as Message, listed) as readonly Message[];
      const others = workspacesOf(context.world);
      others.delete(context.workspaceId);
      return Object.assign(reply, { [listed]: [...own, ...recordsOf(context, others)] });
    })(row),
});
