import { createHash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { defineVariants, type Variant } from "../variant.ts";

/** What a requestId with another request is. */
export const changedRequestVariants: readonly Variant[] = [
  ...defineVariants({
    id: "request-id-of-one-request",
    says: "remembers a requestId together with the request: the same id with another request is new, credentials included",
    open: ["*.open.changed-replay"],
    decoration: {
      parts: ({ idempotencyKey }) => ({
        idempotencyKey(context) {
          const bytes = toBinary(context.row.input, context.request);
          return `${idempotencyKey(context)} ${createHash("sha256").update(bytes).digest("base64")}`;
        },
      }),
    },
  }),
];
