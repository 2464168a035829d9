import type { Context } from "../../reference/core/context.ts";
import { replacing } from "../steps.ts";

/** Takes a credential of any kind where a call is of a kind; nor is it asked for the scope that it would have. */
export const anyKindWhere = (when: (context: Context) => boolean) =>
  replacing((parts) => ({
    authorizeKind(context) {
      if (!when(context)) parts.authorizeKind(context);
    },
    authorizeScope(context) {
      if (!when(context)) parts.authorizeScope(context);
    },
  }));
