import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { SessionState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { type DeleteSessionRequest, SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { cancelRun } from "../../reference/beta/worker.ts";
import { ownerOf } from "../../reference/beta/world.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { aroundBeta, type BetaContext } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { deleteCustomerUser } = CustomerUserService.method;
const { createRun } = RunService.method;
const { deleteSession } = SessionService.method;

/** Runs of a session; of one that is not there, none. */
function runsOf({ world }: BetaContext, sessionId: string) {
  const session = world.tables.session.find(sessionId)?.record;
  if (session === undefined) return [];
  const entries = world.tables.run.entries(tenantKey(ownerOf(session)));
  return entries.map(({ record }) => record).filter((run) => idText(run.sessionId) === sessionId);
}

/** Those of them that go on. */
const liveRuns = (context: BetaContext, sessionId: string) =>
  runsOf(context, sessionId).filter((run) => !isTerminal(run));

/** A handler that refuses while a run of the session it is asked about goes on. */
function atRest<C, Q extends Pick<DeleteSessionRequest, "sessionId">, A>(next: (context: C, request: Q) => A) {
  return (context: C, request: Q): A => {
    const live = liveRuns(context as BetaContext, idText(request.sessionId));
    if (live.length > 0) refuse("FAILED_PRECONDITION", "a run of the session goes on");
    return next(context, request);
  };
}

/** What stands in the way of a session's runs, and of what is to be deleted; what becomes of the runs of a session that is deleted. */
export const sessionRunVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "sessions-with-live-runs-stay",
    says: "refuses to delete a session whose run goes on",
    open: ["beta.open.session-deletion"],
    decoration: { handlers: aroundBeta(deleteSession, atRest) },
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
  defineBetaVariant({
    id: "runs-go-with-their-session",
    says: "deletes the runs of a session that have ended, and their jobs, with it",
    open: ["beta.open.session-deletion"],
    decoration: {
      handlers: aroundBeta(deleteSession, (next) => async (context, request) => {
        const { tables } = (context as BetaContext).world;
        const ended = runsOf(context as BetaContext, idText(request.sessionId)).filter(isTerminal);
        const reply = await next(context, request);
        for (const { runId, jobId } of ended) {
          tables.run.remove(idText(runId));
          tables.job.remove(idText(jobId));
        }
        return reply;
      }),
    },
  }),
  defineBetaVariant({
    id: "one-run-per-session",
    says: "refuses to begin a run in a session where another goes on",
    open: ["beta.open.limits"],
    decoration: { handlers: aroundBeta(createRun, atRest) },
  }),
  defineBetaVariant({
    id: "newer-run-cancels-older",
    says: "cancels the run that goes on in a session where another begins",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(createRun, (next) => (context, request) => {
        const { world } = context as BetaContext;
        for (const run of liveRuns(context as BetaContext, idText(request.sessionId))) cancelRun(world, run);
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "users-with-sessions-stay",
    says: "refuses to delete a customer user who has a session",
    open: ["beta.open.user-data"],
    decoration: {
      handlers: aroundBeta(deleteCustomerUser, (next) => (context, request) => {
        const { world, tenant } = context as BetaContext;
        const sessions = world.tables.session.entries(tenantKey(tenant)).map(({ record }) => record);
        if (sessions.some(({ state }) => state === SessionState.ACTIVE)) {
          refuse("FAILED_PRECONDITION", "the customer user has a session");
        }
        return next(context, request);
      }),
    },
    permits: ["not-exercised"],
  }),
];
