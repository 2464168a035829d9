import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import { objectAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { freshRequestId } from "./request-id.ts";

/** Sizes that are tried where one is refused, or none: bounds of page sizes are not shown (docs/contract/readings.md#27). */
const otherSizes = [20, 50, 10, 100, 5, 2, 1];

/** Codes of refusals that have nothing to do with a page's size. */
const otherCauses = new Set(["unauthenticated", "permission_denied", "not_found"]);

/**
 * Lists a page; where it is refused, of another size, as the size may be the reason.
 *
 * @param sizes what is tried beside the size the request asks for
 * @returns the served reply with the page it was asked for, or the first refusal
 */
export async function callListing(
  context: CaseContext,
  row: RpcRow,
  request: JsonObject,
  options: CallOptions = {},
  sizes: readonly number[] = otherSizes,
): Promise<{ readonly reply: Reply; readonly page: JsonObject }> {
  const page = objectAt(request, "page");
  const reply = await context.call(row, request, options);
  if (reply.outcome !== "refused" || otherCauses.has(reply.error.code)) return { reply, page };
  for (const pageSize of sizes.filter((size) => size !== page.pageSize)) {
    const fresh = freshRequestId(row, context.setup);
    const resized = { ...page, pageSize };
    const other = await context.call(row, { ...request, ...fresh, page: resized }, options);
    if (other.outcome !== "served") continue;
    const what = page.pageSize === undefined ? "no page size" : `a page size of ${page.pageSize}`;
    context.observe("*.open.page-size", `a listing with ${what} is refused, one of ${pageSize} served`);
    return { reply: other, page: resized };
  }
  return { reply, page };
}

/** A page size within the bounds of most servers. */
const firstSize = 20;

/** How many items requests ask for where a case does not care: so many as the target lists. Asked once in a run. */
export async function usualPageSize(context: CaseContext, { package: name }: RpcRow): Promise<number> {
  const row = rpcs.find((one) => one.package === name && one.list !== undefined && one.subject === "webhook_endpoint");
  if (row === undefined) return firstSize;
  return context.run.once(`${name} usual page size`, () =>
    context.shared(async (outer) => {
      const fields = { page: { pageSize: firstSize, cursor: "" } };
      const { reply, page } = await callListing(outer, row, await outer.setup.request(row, undefined, fields));
      // Where each is refused, the cases show it.
      return reply.outcome === "served" && typeof page.pageSize === "number" ? page.pageSize : firstSize;
    }),
  );
}
