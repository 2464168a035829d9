import { tenantKey } from "../reference/core/context.ts";
import { type AlphaVariant, defineVariant } from "./variant.ts";

/** Pages and cursors. */
export const listingVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "pages-of-one",
    says: "never lists more than one item on a page",
    open: ["alpha.open.page-size"],
    decoration: { choices: { defaultPageSize: 1, maximumPageSize: 1 } },
  }),
  defineVariant({
    id: "pages-of-two",
    says: "never lists more than two items on a page",
    open: ["alpha.open.page-size"],
    decoration: { choices: { defaultPageSize: 2, maximumPageSize: 2 } },
  }),
  defineVariant({
    id: "small-default-page",
    says: "lists three items where no size is asked for",
    open: ["alpha.open.page-size"],
    decoration: { choices: { defaultPageSize: 3, maximumPageSize: 1000 } },
  }),
  defineVariant({
    id: "empty-last-page",
    says: "gives a cursor to a last page that is empty",
    open: ["alpha.open.page-size"],
    decoration: { choices: { emptyLastPage: true, defaultPageSize: 4 } },
  }),
  defineVariant({
    id: "newest-first",
    says: "lists the newest first",
    open: ["alpha.open.list-order"],
    decoration: { choices: { listOrder: "descending" } },
  }),
  defineVariant({
    id: "strange-cursors-begin-anew",
    says: "takes a cursor it does not know for the beginning",
    open: ["alpha.open.bad-cursor"],
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
  defineVariant({
    id: "odd-cursors",
    says: "makes long cursors full of quotes, spaces and letters beyond ASCII",
    open: ["alpha.open.bad-cursor"],
    decoration: {
      parts: ({ encodeCursor, decodeCursor }) => ({
        encodeCursor: (context, position) => `"é\\ 🙂/${"+=&%20".repeat(200)}|${encodeCursor(context, position)}`,
        decodeCursor: (context, cursor, filter) =>
          decodeCursor(context, cursor.slice(cursor.lastIndexOf("|") + 1), filter),
      }),
    },
  }),
];
