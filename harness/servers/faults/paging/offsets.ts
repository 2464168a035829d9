import type { Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

interface Asked {
  readonly page?: { readonly pageSize: number; readonly cursor: string };
}

/** Pages by how many records came before, in whatever order they are by now. */
const byOffset = (newestFirst: boolean) =>
  wrapping((next) => async (context, request) => {
    const field = context.row.list?.field.localName ?? "";
    const { page = { pageSize: 0, cursor: "" } } = request as unknown as Asked;
    const all: unknown[] = [];
    let cursor = "";
    let reply: Message;
    do {
      reply = (await next(context, { ...request, page: { pageSize: 100, cursor } } as typeof request)) as Message;
      all.push(...(readField(reply, field) as unknown[]));
      cursor = (readField(reply, "page") as { nextCursor?: string } | undefined)?.nextCursor ?? "";
    } while (cursor !== "");
    if (newestFirst) all.reverse();
    const from = Number.parseInt(page.cursor, 10) || 0;
    const until = from + (page.pageSize === 0 ? 50 : Math.min(page.pageSize, 100));
    const nextCursor = until < all.length ? String(until) : "";
    const last = readField(reply, "page") as object;
    return { ...reply, [field]: all.slice(from, until), page: { ...last, nextCursor } } as never;
  });

const offsets = (method: string) =>
  ({
    [`${method}-newest-first-by-offset`]: ["turns pages of the newest first by an offset", byOffset(true)],
    [`${method}-by-offset`]: ["turns pages by an offset", byOffset(false)],
  }) as const;

export const offsetFaults: readonly Fault[] = [
  ...faultsOf("paging", "alpha.v1", {
    "*.paging.traversal": { ...offsets("ListSecrets"), ...offsets("ListWebhookEndpoints") },
  }),
  ...faultsOf("paging", "beta.v1", {
    "*.paging.traversal": { ...offsets("ListSessions"), ...offsets("ListSecrets") },
  }),
];
