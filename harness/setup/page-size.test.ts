import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import { openCase } from "./case.testing.ts";
import { callListing, usualPageSize } from "./page-size.ts";

const row = rpc("alpha.v1.SecretService/ListSecrets");

/** A case at a server that refuses pages without a size, or of another than these. */
function openListing(sizes: readonly number[]) {
  return openCase("alpha.v1", {
    decoration: {
      request: (json: JsonObject, { row: { list } }: { readonly row: RpcRow }) => {
        const { pageSize } = (json.page ?? {}) as { pageSize?: number };
        return list === undefined || sizes.includes(pageSize ?? 0) ? json : { ...json, workspaceId: null };
      },
    },
  });
}

async function asked(sizes: readonly number[], page: { readonly pageSize?: number }) {
  const { context } = await openListing(sizes);
  const { reply, page: used } = await callListing(context, row, { ...context.setup.tenant(), page });
  return { outcome: reply.outcome, pageSize: used.pageSize };
}

test("a page is asked for as it is", async () => {
  expect(await asked([3], { pageSize: 3 })).toEqual({ outcome: "served", pageSize: 3 });
});

test("a page that is refused is asked for in another size", async () => {
  expect(await asked([10], {})).toEqual({ outcome: "served", pageSize: 10 });
});

test("the first refusal is given where no size is served", async () => {
  expect(await asked([], { pageSize: 3 })).toEqual({ outcome: "refused", pageSize: 3 });
});

test.each([
  { sizes: [20, 5], usual: 20 },
  { sizes: [5, 2], usual: 5 },
  { sizes: [], usual: 20 },
])("pages of $usual are usual where those of $sizes are served", async ({ sizes, usual }) => {
  const { context } = await openListing(sizes);
  expect(await usualPageSize(context, row)).toBe(usual);
  expect(await context.setup.request(row, undefined)).toMatchObject({ page: { pageSize: usual } });
});
