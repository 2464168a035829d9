import { rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineVariants, type Variant } from "../variant.ts";

const listings = new Set(rpcs.filter((row) => row.list !== undefined).map((row) => row.name));

/** Refuses a listing whose page size is none of those allowed; one that is left out counts as 0. */
const bounded =
  (allows: (pageSize: number) => boolean) =>
  (context: Context): void => {
    const { page } = context.request as { readonly page?: { readonly pageSize: number } };
    const pageSize = page?.pageSize ?? 0;
    if (listings.has(context.row.name) && !allows(pageSize)) refuse("INVALID_ARGUMENT", "page.pageSize: out of range");
  };

/** Bounds of page sizes. */
export const pageSizeVariants: readonly Variant[] = [
  ...defineVariants({
    id: "page-size-required",
    says: "refuses a listing without a page, or with a page size of 0 or above 50",
    open: ["*.open.required-fields", "*.open.page-size"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          bounded((size) => size >= 1 && size <= 50)(context);
          validate(context);
        },
      }),
    },
  }),
  ...defineVariants({
    id: "pages-of-five-at-most",
    says: "refuses a listing with a page size above 5",
    open: ["*.open.page-size"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          bounded((size) => size <= 5)(context);
          validate(context);
        },
      }),
    },
  }),
  ...defineVariants({
    id: "pages-of-two-at-most",
    says: "refuses a listing with a page size above 2",
    open: ["*.open.page-size"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          bounded((size) => size <= 2)(context);
          validate(context);
        },
      }),
    },
  }),
  ...defineVariants({
    id: "pages-of-one-to-five",
    says: "refuses a listing without a page, or with a page size of 0 or above 5",
    open: ["*.open.required-fields", "*.open.page-size"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          bounded((size) => size >= 1 && size <= 5)(context);
          validate(context);
        },
      }),
    },
  }),
];
