import { Effect } from "../../proto/rpcs.ts";
import { isStream, principalOf } from "../reference/core/context.ts";
import { readField, readId } from "../reference/core/fields.ts";
import { type AlphaVariant, defineVariant } from "./variant.ts";

/** What a repeated requestId does. */
export const repeatVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "replay-refused",
    says: "refuses a request it has already served",
    open: ["alpha.open.replay"],
    decoration: { choices: { replay: "refuse" } },
  }),
  defineVariant({
    id: "replay-blank",
    says: "leaves the signing secret out of a replay",
    open: ["alpha.open.replay"],
    decoration: { choices: { replayPlaintext: "blank" } },
  }),
  defineVariant({
    id: "changed-replay-served",
    says: "serves a changed request under a used requestId as a new one",
    open: ["alpha.open.changed-replay"],
    decoration: { choices: { idempotencyConflict: "serve as new" } },
  }),
  defineVariant({
    id: "request-ids-of-all-rpcs",
    says: "remembers requestIds per key, not per RPC",
    open: ["alpha.open.changed-replay"],
    decoration: { parts: () => ({ idempotencyKey: (context) => principalOf(context).id }) },
  }),
  defineVariant({
    id: "request-id-optional",
    says: "serves calls without a requestId",
    open: ["alpha.open.required-fields"],
    decoration: {
      parts: ({ validate }) => ({
        validate: (context) => validate({ ...context, row: { ...context.row, requestId: undefined } }),
      }),
    },
  }),
  defineVariant({
    id: "replay-shows-now",
    says: "answers a replay with the record as it is by then",
    open: ["alpha.open.replay"],
    decoration: {
      parts: ({ idempotent }) => ({
        async idempotent(context, effect) {
          const reply = await idempotent(context, effect);
          const { row, world } = context;
          if (isStream(reply) || row.record === undefined || row.effect === Effect.DELETE) return reply;
          const record = readField(reply, row.record.field.localName) as { id?: { value: string } } | undefined;
          const now = world.tables[row.subject as keyof typeof world.tables]?.find(record?.id?.value ?? "");
          if (now !== undefined && readId(context.request, row.requestId) !== undefined) {
            Object.assign(reply, { [row.record.field.localName]: now.record });
          }
          return reply;
        },
      }),
    },
  }),
];
