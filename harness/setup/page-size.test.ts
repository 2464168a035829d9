import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import { openCase } from "./case.testing.ts";
import { callListing } from "./page-size.ts";

const row = rpc("alpha.v1.SecretService/ListSecrets");

/** Asks a server that refuses pages without a size, or of another than these. */
async function asked(sizes: readonly number[], page: { readonly pageSize?: number }) {
  const { context } = await openCase("alpha.v1", {
    decoration: {
      request: (json: JsonObject, { row: { list } }: { readonly row: RpcRow }) => {
        const { pageSize } = (json.page ?? {}) as { pageSize?: number };
        return list === undefined || sizes.includes(pageSize ?? 0) ? json : { ...json, workspaceId: null };
      },
    },
  });
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
