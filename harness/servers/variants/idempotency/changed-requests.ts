import { createHash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import type { Context } from "../../reference/core/context.ts";
import { readId } from "../../reference/core/fields.ts";
import { defineVariants, type Variant } from "../variant.ts";

function digestOf({ row, request }: Context): string {
  return createHash("sha256").update(toBinary(row.input, request)).digest("base64");
}

/** What a requestId with another request is. */
export const changedRequestVariants: readonly Variant[] = [
  ...defineVariants({
    id: "request-id-of-one-request",
    says: "remembers a requestId together with the request: the same id with another request is new, credentials included",
    open: ["*.open.changed-replay"],
    decoration: {
      parts: ({ idempotencyKey }) => ({
        idempotencyKey: (context) => `${idempotencyKey(context)} ${digestOf(context)}`,
      }),
    },
  }),
  ...defineVariants({
    id: "request-id-of-the-last-request",
    says: "remembers a requestId with the last request made under it alone: another one is new, and the first one after it is new, too",
    open: ["*.open.changed-replay"],
    decoration: {
      parts: ({ idempotent }) => ({
        async idempotent(context, effect) {
          const { memories, parts } = context.world;
          const key = `${parts.idempotencyKey(context)} ${readId(context.request, context.row.requestId)}`;
          const memory = memories.get(key);
          if (memory !== undefined && memory.digest !== digestOf(context)) memories.delete(key);
          return await idempotent(context, effect);
        },
      }),
    },
  }),
];
