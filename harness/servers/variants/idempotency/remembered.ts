import { principalOf } from "../../reference/core/context.ts";
import { readId } from "../../reference/core/fields.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** How long, and of which calls, a requestId is remembered. */
export const memoryVariants: readonly Variant[] = [
  ...defineVariants({
    id: "request-ids-for-a-minute",
    says: "remembers a requestId for a minute",
    open: ["*.open.replay"],
    decoration: { choices: { idempotencyLifetimeMs: 60_000 } },
  }),
  ...defineVariants({
    id: "refusals-remembered",
    says: "answers a replay of a call that was refused for what it asks as the first time",
    open: ["*.open.replay", "*.open.changed-replay"],
    decoration: {
      parts({ idempotent }) {
        const refused = new Map<string, Refusal>();
        return {
          async idempotent(context, effect) {
            const id = readId(context.request, context.row.requestId);
            const key = `${principalOf(context).id} ${context.row.name} ${id}`;
            const known = id === undefined ? undefined : refused.get(key);
            if (known !== undefined) throw known;
            try {
              return await idempotent(context, effect);
            } catch (refusal) {
              if (id !== undefined && refusal instanceof Refusal) refused.set(key, refusal);
              throw refusal;
            }
          },
        };
      },
    },
  }),
];
