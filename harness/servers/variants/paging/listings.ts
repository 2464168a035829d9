import { tenantKey } from "../../reference/core/context.ts";
import { readCursor } from "../../reference/core/paging.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** Pages and cursors. */
export const listingVariants: readonly Variant[] = [
  ...defineVariants({
    id: "pages-of-one",
    says: "never lists more than one item on a page",
    open: ["*.open.page-size"],
    decoration: { choices: { defaultPageSize: 1, maximumPageSize: 1 } },
  }),
  ...defineVariants({
    id: "pages-of-two",
    says: "never lists more than two items on a page",
    open: ["*.open.page-size"],
    decoration: { choices: { defaultPageSize: 2, maximumPageSize: 2 } },
  }),
  ...defineVariants({
    id: "small-default-page",
    says: "lists three items where no size is asked for",
    open: ["*.open.page-size"],
    decoration: { choices: { defaultPageSize: 3, maximumPageSize: 1000 } },
  }),
  ...defineVariants({
    id: "empty-last-page",
    says: "gives a cursor to a last page that is empty",
    open: ["*.open.page-size"],
    decoration: { choices: { emptyLastPage: true, defaultPageSize: 4 } },
  }),
  ...defineVariants({
    id: "empty-first-page",
    says: "begins a listing with an empty page, whose cursor leads to the items",
    open: ["*.open.page-size"],
    decoration: { choices: { emptyFirstPage: true } },
  }),
  ...defineVariants({
    id: "pages-count-deleted",
    says: "leaves what was deleted out of pages that it still counts for, so that many are empty",
    open: ["*.open.page-size"],
    decoration: { choices: { pagesCountDeleted: true } },
  }),
  ...defineVariants({
    id: "newest-first",
    says: "lists the newest first",
    open: ["*.open.list-order"],
    decoration: { choices: { listOrder: "descending" } },
  }),
  ...defineVariants({
    id: "strange-cursors-begin-anew",
    says: "takes a cursor it does not know for the beginning",
    open: ["*.open.bad-cursor"],
    decoration: {
      parts: ({ decodeCursor }) => ({
        decodeCursor: (context, cursor, filter) =>
          decodeCursor(context, cursor, filter) ?? {
            rpc: context.row.name,
            tenant: tenantKey(context.tenant),
            filter,
            after: 0,
          },
      }),
    },
  }),
  ...defineVariants({
    id: "cursors-stand-for-records",
    says: "takes a cursor for the record that a short page ended with, and refuses it once that was deleted",
    open: ["*.open.bad-cursor", "*.open.page-size"],
    decoration: {
      choices: { defaultPageSize: 2, maximumPageSize: 2 },
      parts: ({ decodeCursor }) => ({
        decodeCursor(context, cursor, filter) {
          const position = decodeCursor(context, cursor, filter);
          const { [context.row.subject]: table } = context.world.tables;
          if (table === undefined || position === undefined || position.after === 0) return position;
          const listed = table.entries(position.tenant ?? tenantKey(context.tenant));
          // A page may end with what was deleted, where such are counted or shown.
          const { pagesCountDeleted, listTombstones } = context.world.choices;
          const isThere = listed.some(
            ({ ordinal, deleted }) => (!deleted || pagesCountDeleted || listTombstones) && ordinal === position.after,
          );
          return isThere ? position : undefined;
        },
      }),
    },
  }),
  ...defineVariants({
    id: "cursors-of-any-filter",
    says: "goes on behind the place that a cursor stands for by the filters of the request, whatever it was issued for",
    open: ["*.open.bad-cursor"],
    decoration: {
      parts: () => ({
        decodeCursor(context, cursor) {
          const position = readCursor(context, cursor);
          const isOurs = position?.rpc === context.row.name && position.tenant === tenantKey(context.tenant);
          return isOurs ? position : undefined;
        },
      }),
    },
  }),
  ...defineVariants({
    id: "odd-cursors",
    says: "makes long cursors full of quotes, spaces and letters beyond ASCII",
    open: ["*.open.bad-cursor"],
    decoration: {
      parts: ({ encodeCursor, decodeCursor }) => ({
        encodeCursor: (context, position) => `"é\\ 🙂/${"+=&%20".repeat(200)}|${encodeCursor(context, position)}`,
        decodeCursor: (context, cursor, filter) =>
          decodeCursor(context, cursor.slice(cursor.lastIndexOf("|") + 1), filter),
      }),
    },
  }),
];
