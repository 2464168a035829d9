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

/** Servers of both packages that refuse a listing with any other page size. */
const allowing = (id: string, says: string, allows: (pageSize: number) => boolean): readonly Variant[] =>
  defineVariants({
    id,
    says,
    // A page that is left out has no size.
    open: [...(allows(0) ? [] : ["*.open.required-fields"]), "*.open.page-size"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          bounded(allows)(context);
          validate(context);
        },
      }),
    },
  });

/** Bounds of page sizes. */
export const pageSizeVariants: readonly Variant[] = [
  ...allowing(
    "page-size-required",
    "refuses a listing without a page, or with a page size of 0 or above 50",
    (size) => size >= 1 && size <= 50,
  ),
  ...allowing("pages-of-five-at-most", "refuses a listing with a page size above 5", (size) => size <= 5),
  ...allowing("pages-of-two-at-most", "refuses a listing with a page size above 2", (size) => size <= 2),
  ...allowing(
    "pages-of-one-to-five",
    "refuses a listing without a page, or with a page size of 0 or above 5",
    (size) => size >= 1 && size <= 5,
  ),
];
