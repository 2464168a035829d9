import type { Session } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A session that was deleted is written once more, as it was, when a run of it ends. */
function comingBack(): BetaDecoration {
  const gone = new Map<string, Session>();
  return {
    handlers: aroundBeta(SessionService.method.deleteSession, (next) => async (context, request) => {
      const id = idText(request.sessionId);
      const session = context.world.tables.session.get(id);
      const reply = await next(context, request);
      gone.set(id, session);
      return reply;
    }),
    parts: ({ stateEvent }) => ({
      stateEvent(world, run) {
        const session = gone.get(idText(run.sessionId));
        if (session !== undefined && isTerminal(run)) world.tables.session.put(session);
        return stateEvent(world, run);
      },
    }),
  };
}

export const sessionsBack: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.deletion.effective": {
    "DeleteSession-undone-by-the-end-of-a-run": ["brings a deleted session back when a run of it ends", comingBack()],
  },
});
