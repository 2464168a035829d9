import { Effect } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { requestIdOf } from "./replays.ts";

/** What was served once under a requestId is served to credentials of any kind. */
export const replaysToEveryKind: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter(
    (row) => row.effect === Effect.CREATE && row.requestId !== undefined && !row.stream && row.credentials.length < 4,
  ),
  {
    id: "idempotency/replays-to-every-kind",
    says: "takes a credential of any kind, whatever its scopes, where a requestId is known",
    breaks: "*.idempotency.unauthorized-replay",
    decorate: (row) => ({
      ...replacing((parts) => {
        const known = new Set<string>();
        const isKnown = (context: Context) => known.has(requestIdOf(context));
        return {
          authorizeKind(context) {
            if (!isKnown(context)) parts.authorizeKind(context);
          },
          authorizeScope(context) {
            if (!isKnown(context)) parts.authorizeScope(context);
          },
          async pipeline(context, effect) {
            const reply = await parts.pipeline(context, effect);
            known.add(requestIdOf(context));
            return reply;
          },
        };
      })(row),
      choices: { idempotencyAmong: "tenant, answering others" },
    }),
  },
);
