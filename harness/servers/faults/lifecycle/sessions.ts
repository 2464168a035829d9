import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { uuid } from "../../reference/beta/messages.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { idKey, inObject, inReply, onError, onReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { inAnySession } from "../isolation/sessions.ts";
import { faultsOf } from "../table.ts";
import { another, drop, past, pathOf, unknownId } from "../values.ts";

/** Takes the first value a field ever had for that of every request. */
function alwaysTheFirst(field: string) {
  let known: JsonValue | undefined;
  return onRequest((json) => {
    known ??= json[field];
    return { ...json, [field]: known ?? null };
  });
}

const inDeletedSession = ["takes a deleted session for one of the user's", inAnySession] as const;

/** Changes the replies about a login request of which a try was refused. */
const onceRefused = (change: (json: JsonObject) => JsonObject) => (row: RpcRow) => {
  const refused = new Set<string>();
  return {
    ...onError((error, { request }) => {
      refused.add(idKey(request.oauthLoginRequestId));
      return error;
    })(row),
    ...onReply((json) => (refused.has(idKey(json.oauthLoginRequestId)) ? change(json) : json))(row),
  };
};

/** Shows the first version of its app for that of every session. */
const listingOneVersion: BetaDecoration = {
  handlers: aroundBeta(SessionService.method.listSessions, (next) => async (context, request) => {
    const { sessions = [], ...page } = await next(context, request);
    const app = context.world.apps.all.find(({ appId }) => appId === context.tenant.appId);
    const appVersionId = uuid(app?.versions[0]?.appVersionId ?? "");
    return { ...page, sessions: sessions.map((session) => ({ ...session, appVersionId })) };
  }),
};

/** Lists no session that has a run: it is joined with them the wrong way. */
const leavingOutWithRuns: BetaDecoration = {
  handlers: aroundBeta(SessionService.method.listSessions, (next) => async (context, request) => {
    const { sessions = [], ...page } = await next(context, request);
    const runs = context.world.tables.run.entries(tenantKey(context.tenant));
    const used = new Set(runs.map(({ record }) => idText(record.sessionId)));
    return { ...page, sessions: sessions.filter(({ sessionId }) => !used.has(sessionId?.value ?? "")) };
  }),
};

const lostByDeletion = inObject("session", (session) =>
  session.state === "SESSION_STATE_DELETED" ? { ...session, appVersionId: unknownId } : session,
);

/** Sessions, and what is issued in them or for them: tickets, links, login requests. */
export const sessionFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.deletion.effective": {
    "CreateRun-in-any-session": inDeletedSession,
    "CreateVoiceConnectionTicket-in-any-session": inDeletedSession,
  },
  "*.versioning.app-version": {
    "ListSessions-shows-one-version": ["shows the first version of the app for all", listingOneVersion],
    "CreateSession-appVersionId-other": ["shows another app version", inReply("session.appVersionId", another)],
    "GetSession-appVersionId-other": ["shows another app version", inReply("session.appVersionId", another)],
    "GetSession-appVersionId-lost-by-deletion": ["shows another app version once it is deleted", lostByDeletion],
    "DeleteSession-appVersionId-lost-by-deletion": ["shows another app version than the session's", lostByDeletion],
    "GetSession-appVersionId-dropped": ["shows no app version", inReply("session.appVersionId", drop)],
    "CreateSession-keeps-to-one-version": [
      "creates every session with the app version of the first",
      alwaysTheFirst("appVersionId"),
    ],
  },
  "*.records.agree": {
    "ListSessions-appVersionId-other": ["shows another app version", inReply("sessions[].appVersionId", another)],
    "GetSession-createdAt-past": ["dates the session earlier", inReply("session.createdAt", past)],
  },
  "*.paging.traversal": {
    "ListSessions-with-runs-left-out": ["lists no session that has a run", leavingOutWithRuns],
  },
  "*.enums.specified": {
    "ListSessions-state-dropped": ["shows no state", inReply("sessions[].state", drop)],
    "CreateSession-state-dropped": ["shows no state", inReply("session.state", drop)],
  },
  "*.urls.expire-later": {
    "CreateVoiceConnectionTicket-expiresAt-past": ["issues tickets that have expired", inReply("expiresAt", past)],
    "CreateVoiceConnectionTicket-expiresAt-dropped": ["does not say when a ticket expires", inReply("expiresAt", drop)],
    "CreateHostedApprovalLink-expiresAt-past": ["issues links that have expired", inReply("expiresAt", past)],
    "CreateHostedApprovalLink-expiresAt-dropped": ["does not say when a link expires", inReply("expiresAt", drop)],
  },
  "*.urls.form": {
    "CreateVoiceConnectionTicket-websocketUrl-http": [
      "gives a web address for the websocket",
      inReply("websocketUrl", (url) => String(url).replace(/^ws/, "http")),
    ],
    "CreateVoiceConnectionTicket-websocketUrl-path": [
      "gives the path of the websocket only",
      inReply("websocketUrl", pathOf),
    ],
    "CreateHostedApprovalLink-url-path": ["gives the path of the page only", inReply("url", pathOf)],
    "CreateHostedApprovalLink-url-app": [
      "gives an address no browser opens",
      inReply("url", (url) => String(url).replace(/^http/, "approval")),
    ],
  },
  "*.credentials.first": {
    "CreateVoiceConnectionTicket-ticket-dropped": ["gives no ticket", inReply("ticket", drop)],
  },
  "*.oauth.completed": {
    "CompleteOAuthLoginRequest-oauthLoginRequestId-other": [
      "names another login request",
      inReply("oauthLoginRequestId", another),
    ],
    "CompleteOAuthLoginRequest-oauthLoginRequestId-dropped": [
      "names no login request",
      inReply("oauthLoginRequestId", drop),
    ],
    "CompleteOAuthLoginRequest-browserReturnUrl-dropped": [
      "does not say where the browser goes on",
      inReply("browserReturnUrl", drop),
    ],
    "CompleteOAuthLoginRequest-browserReturnUrl-without-host": [
      "gives a web address without a host for the browser to go on at",
      inReply("browserReturnUrl", () => "https://"),
    ],
    "CompleteOAuthLoginRequest-browserReturnUrl-lost-once-refused": [
      "does not say where the browser goes on once a try was refused",
      onceRefused(({ browserReturnUrl: _, ...json }) => json),
    ],
    "CompleteOAuthLoginRequest-resourceVersion-dropped": ["gives no version", inReply("resourceVersion", drop)],
    "CompleteOAuthLoginRequest-completedAt-dropped": [
      "does not say when it was completed",
      inReply("completedAt", drop),
    ],
  },
  "*.records.times": {
    "CompleteOAuthLoginRequest-completedAt-past": ["was completed years ago", inReply("completedAt", past)],
  },
});
