import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { cancelRun } from "../../reference/beta/worker.ts";
import { ownerOf } from "../../reference/beta/world.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { aroundBeta, type BetaContext } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { deleteSession } = SessionService.method;

/** Runs of a session that go on. */
function liveRuns({ world }: BetaContext, sessionId: string) {
  const session = world.tables.session.get(sessionId);
  const entries = world.tables.run.entries(tenantKey(ownerOf(session)));
  return entries.map(({ record }) => record).filter((run) => idText(run.sessionId) === sessionId && !isTerminal(run));
}

/** What becomes of the runs of a session that is deleted. */
export const sessionRunVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "sessions-with-live-runs-stay",
    says: "refuses to delete a session whose run goes on",
    open: ["beta.open.session-deletion"],
    decoration: {
      handlers: aroundBeta(deleteSession, (next) => (context, request) => {
        const live = liveRuns(context as BetaContext, idText(request.sessionId));
        if (live.length > 0) refuse("FAILED_PRECONDITION", "a run of the session goes on");
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "session-deletion-cancels-runs",
    says: "cancels the runs of a session that is deleted",
    open: ["beta.open.session-deletion"],
    decoration: {
      handlers: aroundBeta(deleteSession, (next) => (context, request) => {
        const { world } = context as BetaContext;
        for (const run of liveRuns(context as BetaContext, idText(request.sessionId))) cancelRun(world, run);
        return next(context, request);
      }),
    },
  }),
];
