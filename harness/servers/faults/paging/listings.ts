import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";

/** Rows that list. */
export const listings: readonly RpcRow[] = rpcs.filter((row) => row.list !== undefined);

/** A page: its items, the cursor it gives and the one it was asked for, empty where there is none, and of what it is. */
interface Page {
  readonly items: readonly JsonValue[];
  readonly cursor: string;
  readonly asked: string;
  /** The request but for its page: the same on all pages of a traversal. */
  readonly of: string;
}

/** Changes the items of a page, or its cursor. */
type ChangePage = (page: Page) => Partial<Pick<Page, "items" | "cursor">>;

/** Changes the replies of a listing; each row gets a change of its own, which may remember. */
export const listing =
  (createChange: () => ChangePage) =>
  (row: RpcRow): SharedDecoration => {
    const field = row.list?.name ?? "";
    const change = createChange();
    return {
      reply: (json, call) => {
        if (call.rpc !== row.name) return json;
        const page = (json.page ?? {}) as { nextCursor?: string };
        const { cursor: asked = "" } = (call.request.page ?? {}) as { cursor?: string };
        const of = JSON.stringify({ ...call.request, page: null, requestId: null });
        const shown = { items: (json[field] ?? []) as JsonValue[], cursor: page.nextCursor ?? "", asked, of };
        const { items, cursor } = { ...shown, ...change(shown) };
        const next: JsonObject = cursor === "" ? {} : { nextCursor: cursor };
        return { [field]: [...items], page: next };
      },
    };
  };

export type Kind = readonly [what: string, says: string, breaks: string, decorate: (row: RpcRow) => SharedDecoration];

/** What a listing may get wrong. */
export const kinds: readonly Kind[] = [
  [
    "drops-at-border",
    "leaves out the last item of every page but the last",
    "*.paging.traversal",
    listing(
      () =>
        ({ items, cursor }) =>
          cursor === "" || items.length < 2 ? {} : { items: items.slice(0, -1) },
    ),
  ],
  [
    "repeats-at-border",
    "begins every page with the item that ended the one before",
    "*.paging.traversal",
    listing(() => {
      const ends = new Map<string, JsonValue>();
      return ({ items, cursor, asked }) => {
        const last = items.at(-1);
        const before = ends.get(asked);
        if (cursor !== "" && last !== undefined) ends.set(cursor, last);
        return before === undefined ? {} : { items: [before, ...items.slice(0, Math.max(items.length - 1, 1))] };
      };
    }),
  ],
  ["ends-early", "has no cursor after the first page", "*.paging.shape", listing(() => () => ({ cursor: "" }))],
  [
    "never-ends",
    "has a cursor even after the last page, to the first again",
    "*.paging.traversal",
    listing(() => {
      const firsts = new Map<string, string>();
      return ({ cursor, asked, of }) => {
        if (asked === "" && cursor !== "") firsts.set(of, cursor);
        const first = firsts.get(of);
        return cursor === "" && first !== undefined ? { cursor: first } : {};
      };
    }),
  ],
  [
    "ignores-cursor",
    "shows the first page whatever the cursor",
    "*.paging.traversal",
    // The first page of whoever asks, for what they ask: what else a cursor holds is not believed either.
    replacing(() => ({ decodeCursor: ({ row }, _cursor, filter) => ({ rpc: row.name, filter, after: 0 }) })),
  ],
  [
    "empty-cursor-refused",
    "refuses an empty cursor",
    "*.paging.empty-cursor",
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
    "*.paging.size",
    replacing((parts) => ({ pageSize: (context, requested) => parts.pageSize(context, requested) + 1 })),
  ],
  ["no-items", "returns no items", "*.paging.shape", listing(() => () => ({ items: [] }))],
];

/** Of a listing within something else only its own cases know what it must show. */
export const alsoBroken = (row: RpcRow, what: string): readonly string[] =>
  what === "no-items" && row.filters.length > 0 ? ["*.filters.complete"] : [];

/** Each listing gets every kind of one half, so that each kind is seen at several listings. */
export const pagingFaults: readonly Fault[] = listings.flatMap((row, index) =>
  kinds
    .filter((_kind, place) => (place + index) % 2 === 0)
    // Artifacts of a run are known by their listing only: where it is empty, there is nothing to ask about.
    .filter(([what]) => what !== "no-items" || row.name !== "beta.v1.PlatformService/ListArtifacts")
    .flatMap(([what, says, breaks, decorate]) =>
      faultsAt([row], { id: `paging/${what}`, says, breaks, also: alsoBroken(row, what), decorate }),
    ),
);

export const cursorRefused: readonly Fault[] = faultsOf("paging", "alpha.v1", {
  "*.paging.traversal": {
    "ListSecrets-second-page-refused": [
      "the cursors it issues are refused",
      replacing(() => ({ decodeCursor: () => refuse("INVALID_ARGUMENT", "bad cursor") })),
    ],
  },
});
