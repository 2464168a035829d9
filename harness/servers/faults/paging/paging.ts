import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readCursor } from "../../reference/core/paging.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

export const listings: readonly RpcRow[] = rpcs.filter((row) => row.list !== undefined);

type Listing = { readonly [key: string]: unknown };

/** Changes the reply of a listing as JSON. */
export function listing(
  row: RpcRow,
  change: (
    items: readonly Listing[],
    cursor: string,
    asked: string,
    of: string,
  ) => { items?: readonly Listing[]; cursor?: string },
): SharedDecoration {
  const field = row.list?.name ?? "";
  return {
    reply: (json, call) => {
      if (call.rpc !== row.name) return json;
      const page = (json.page ?? {}) as { nextCursor?: string };
      const asked = (call.request.page ?? {}) as { cursor?: string };
      const of = JSON.stringify({ ...call.request, page: null, requestId: null });
      const { items, cursor } = change((json[field] ?? []) as Listing[], page.nextCursor ?? "", asked.cursor ?? "", of);
      const nextCursor = cursor ?? page.nextCursor;
      const next: JsonObject = nextCursor === undefined || nextCursor === "" ? {} : { nextCursor };
      return { [field]: (items ?? json[field] ?? []) as JsonValue, page: next };
    },
  };
}

type Kind = readonly [id: string, says: string, breaks: string, decorate: (row: RpcRow) => SharedDecoration];

/** What a listing may get wrong. */
export const kinds: readonly Kind[] = [
  [
    "drops-at-border",
    "leaves out the last item of every page but the last",
    "paging.traversal",
    (row) => listing(row, (items, cursor) => (cursor === "" || items.length < 2 ? {} : { items: items.slice(0, -1) })),
  ],
  [
    "repeats-at-border",
    "begins every page with the item that ended the one before",
    "paging.traversal",
    (row) => {
      const ends = new Map<string, Listing>();
      return listing(row, (items, cursor, asked) => {
        const last = items.at(-1);
        const before = ends.get(asked);
        if (cursor !== "" && last !== undefined) ends.set(cursor, last);
        return before === undefined ? {} : { items: [before, ...items.slice(0, Math.max(items.length - 1, 1))] };
      });
    },
  ],
  ["ends-early", "has no cursor after the first page", "paging.shape", (row) => listing(row, () => ({ cursor: "" }))],
  [
    "never-ends",
    "has a cursor even after the last page, to the first again",
    "paging.traversal",
    (row) => {
      const firsts = new Map<string, string>();
      return listing(row, (_items, cursor, asked, of) => {
        if (asked === "" && cursor !== "") firsts.set(of, cursor);
        const first = firsts.get(of);
        return cursor === "" && first !== undefined ? { cursor: first } : {};
      });
    },
  ],
  [
    "ignores-cursor",
    "shows the first page whatever the cursor",
    "paging.traversal",
    (row) => ({
      parts: (parts) => ({
        decodeCursor: onRpc(row.name, parts.decodeCursor, (context, cursor) => ({
          ...(readCursor(context, cursor) ?? { rpc: row.name, workspaceId: context.workspaceId, filter: "" }),
          after: 0,
        })),
      }),
    }),
  ],
  [
    "empty-cursor-refused",
    "refuses an empty cursor",
    "paging.empty-cursor",
    (row) => ({
      requestBytes: (bytes, call) => {
        if (call.rpc !== row.name || !Buffer.from(bytes).toString().includes('"cursor":""')) return bytes;
        return Buffer.from(Buffer.from(bytes).toString().replace('"cursor":""', '"cursor":"!"'));
      },
    }),
  ],
  [
    "exceeds-size",
    "puts one item more on a page than asked for",
    "paging.size",
    (row) => ({
      parts: (parts) => ({
        pageSize: onRpc(row.name, parts.pageSize, (context, requested) => parts.pageSize(context, requested) + 1),
      }),
    }),
  ],
  ["no-items", "returns no items", "paging.shape", (row) => listing(row, () => ({ items: [] }))],
];

/** Each listing gets every kind of one half, so that each kind is seen at several listings. */
export const pagingFaults: readonly Fault[] = listings.flatMap((row, index) =>
  kinds
    .filter((_kind, place) => (place + index) % 2 === 0)
    // Artifacts of a run are known by their listing only: where it is empty, there is nothing to ask about.
    .filter(([id]) => id !== "no-items" || row.name !== "beta.v1.PlatformService/ListArtifacts")
    .map(([id, says, breaks, decorate]) =>
      defineSharedFault({
        id: `paging/${prefixOf(row)}${row.method}-${id}`,
        says: `${row.method} ${says}`,
        breaks: clauseFor(row, breaks),
        // Of a listing within something else only its own cases know what it must show.
        ...(id === "no-items" && row.filters.length > 0 ? { also: [clauseFor(row, "filters.complete")] } : {}),
        rpc: row.name,
        decoration: decorate(row),
      }),
    ),
);

export const refusals: readonly Fault[] = [
  defineFault({
    id: "paging/ListSecrets-second-page-refused",
    says: "refuses the cursors it issues",
    breaks: "alpha.paging.traversal",
    rpc: "alpha.v1.SecretService/ListSecrets",
    decoration: {
      parts: (parts) => ({
        decodeCursor: onRpc("alpha.v1.SecretService/ListSecrets", parts.decodeCursor, () =>
          refuse("INVALID_ARGUMENT", "bad cursor"),
        ),
      }),
    },
  }),
];
