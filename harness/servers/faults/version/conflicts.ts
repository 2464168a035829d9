import type { Context, Reply } from "../../reference/core/context.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { replacing } from "../steps.ts";

/** Does something once a call is refused for the version it expects; the call is refused all the same. */
export const onConflict = (then: (context: Context) => void) =>
  replacing((parts) => ({
    async pipeline(context, effect): Promise<Reply> {
      try {
        return await parts.pipeline(context, effect);
      } catch (error) {
        if (error instanceof Refusal && error.reason === "RESOURCE_VERSION_CONFLICT") then(context);
        throw error;
      }
    },
  }));
