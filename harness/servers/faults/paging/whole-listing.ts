import type { Message } from "@bufbuild/protobuf";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";

/** What a listing is asked for of pages. */
export interface AskedPage {
  readonly page?: { readonly pageSize: number; readonly cursor: string };
}

/** All that a listing shows, page by page, with the last reply. */
export async function wholeListing(context: Context, list: (page: Required<AskedPage>) => unknown) {
  const field = context.row.list?.field.localName ?? "";
  const found: Message[] = [];
  let cursor = "";
  let reply: Message;
  do {
    reply = (await list({ page: { pageSize: 100, cursor } })) as Message;
    found.push(...(readField(reply, field) as Message[]));
    cursor = (readField(reply, "page") as { nextCursor?: string } | undefined)?.nextCursor ?? "";
  } while (cursor !== "");
  return { found, reply };
}
