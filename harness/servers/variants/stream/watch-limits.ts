import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { aroundBeta } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How many may watch a run at a time. */
const maximumWatchers = 2;

/** How many watch each run now, by its id: ids differ between servers. */
const open = new Map<string, number>();

/** How many may watch at a time. */
export const watchLimits: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "two-watchers-of-a-run",
    says: "refuses a third watch of a run while two are open",
    open: ["beta.open.limits"],
    alone: true,
    permits: ["not-exercised"],
    decoration: {
      handlers: aroundBeta(
        RunService.method.watchRun,
        (next) =>
          async function* (context, request) {
            const id = idText(request.runId);
            const before = open.get(id) ?? 0;
            if (before >= maximumWatchers) refuse("FAILED_PRECONDITION", "two watch the run already");
            open.set(id, before + 1);
            try {
              yield* next(context, request);
            } finally {
              open.set(id, (open.get(id) ?? 1) - 1);
            }
          },
      ),
    },
  }),
];
