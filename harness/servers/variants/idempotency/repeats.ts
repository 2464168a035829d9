import type { Message } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import { isStream, principalOf } from "../../reference/core/context.ts";
import { idText, readField, readId } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

/** What a repeated requestId does. */
export const repeatVariants: readonly Variant[] = [
  ...defineVariants({
    id: "replay-refused",
    says: "refuses a request it has already served",
    open: ["*.open.replay"],
    decoration: { choices: { replay: "refuse" } },
  }),
  defineAlphaVariant({
    id: "replay-blank",
    says: "leaves the signing secret out of a replay",
    open: ["alpha.open.replay"],
    decoration: { choices: { replayPlaintext: "blank" } },
  }),
  ...defineVariants({
    id: "changed-replay-served",
    says: "serves a changed request under a used requestId as a new one",
    open: ["*.open.changed-replay"],
    decoration: { choices: { idempotencyConflict: "serve as new" } },
  }),
  ...defineVariants({
    id: "replays-compared-as-written",
    says: "refuses a used requestId with a request whose keys, or spelled-out defaults, are others",
    open: ["*.open.changed-replay"],
    decoration: {
      parts({ idempotent }) {
        const written = new Map<string, string>();
        return {
          async idempotent(context, effect) {
            const id = readId(context.request, context.row.requestId);
            const key = `${principalOf(context).id} ${context.row.name} ${id}`;
            const text = JSON.stringify(context.call.request);
            if (id !== undefined && (written.get(key) ?? text) !== text) {
              refuse("IDEMPOTENCY_CONFLICT", "this requestId was used for another request");
            }
            const reply = await idempotent(context, effect);
            if (id !== undefined) written.set(key, text);
            return reply;
          },
        };
      },
    },
  }),
  ...defineVariants({
    id: "request-ids-of-all-rpcs",
    says: "remembers requestIds per key, not per RPC",
    open: ["*.open.changed-replay"],
    decoration: { parts: () => ({ idempotencyKey: (context) => principalOf(context).id }) },
  }),
  ...defineVariants({
    id: "request-id-optional",
    says: "serves calls without a requestId",
    open: ["*.open.required-fields"],
    decoration: {
      parts: ({ validate }) => ({
        validate: (context) => validate({ ...context, row: { ...context.row, requestId: undefined } }),
      }),
    },
  }),
  ...defineVariants({
    id: "replay-shows-now",
    says: "answers a replay with the record as it is by then",
    open: ["*.open.replay"],
    decoration: {
      parts: ({ idempotent }) => ({
        async idempotent(context, effect) {
          const reply = await idempotent(context, effect);
          const { row, world } = context;
          if (isStream(reply) || row.record === undefined || row.effect === Effect.DELETE) return reply;
          const record = readField(reply, row.record.field.localName) as Message | undefined;
          const own = row.subject.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
          const id = record && (readField(record, "id") ?? readField(record, `${own}Id`));
          const now = world.tables[row.subject]?.find(idText(id as { value: string } | undefined));
          if (now !== undefined && readId(context.request, row.requestId) !== undefined) {
            Object.assign(reply, { [row.record.field.localName]: now.record });
          }
          return reply;
        },
      }),
    },
  }),
];
