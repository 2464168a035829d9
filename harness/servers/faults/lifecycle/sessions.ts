import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { type Change, changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const sessions = "beta.v1.SessionService";
const ticket = `${sessions}/CreateVoiceConnectionTicket`;
const link = "beta.v1.HostedService/CreateHostedApprovalLink";
const oauth = "beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest";

const drop: Change = () => undefined;
const past: Change = () => "2020-01-01T00:00:00Z";
const another: Change = () => ({ value: "01890a5d-ac96-774b-bcce-b302099a8057" });

type Row = readonly [rpc: string, path: string, what: string, breaks: string, says: string, change: Change];

const rows: readonly Row[] = [
  [
    `${sessions}/CreateSession`,
    "session.appVersionId",
    "other",
    "versioning.app-version",
    "shows another app version",
    another,
  ],
  [
    `${sessions}/GetSession`,
    "session.appVersionId",
    "other",
    "versioning.app-version",
    "shows another app version",
    another,
  ],
  [`${sessions}/GetSession`, "session.appVersionId", "dropped", "versioning.app-version", "shows no app version", drop],
  [
    `${sessions}/ListSessions`,
    "sessions[].appVersionId",
    "other",
    "records.agree",
    "shows another app version",
    another,
  ],
  [`${sessions}/ListSessions`, "sessions[].state", "dropped", "enums.specified", "shows no state", drop],
  [`${sessions}/CreateSession`, "session.state", "dropped", "enums.specified", "shows no state", drop],
  [`${sessions}/GetSession`, "session.createdAt", "past", "records.agree", "dates the session earlier", past],
  [ticket, "expiresAt", "past", "urls.expire-later", "issues tickets that have expired", past],
  [ticket, "expiresAt", "dropped", "urls.expire-later", "does not say when a ticket expires", drop],
  [
    ticket,
    "websocketUrl",
    "http",
    "urls.form",
    "gives a web address for the websocket",
    (url) => String(url).replace(/^ws/, "http"),
  ],
  [
    ticket,
    "websocketUrl",
    "path",
    "urls.form",
    "gives the path of the websocket only",
    (url) => new URL(String(url)).pathname,
  ],
  [ticket, "ticket", "dropped", "credentials.first", "gives no ticket", drop],
  [link, "expiresAt", "past", "urls.expire-later", "issues links that have expired", past],
  [link, "expiresAt", "dropped", "urls.expire-later", "does not say when a link expires", drop],
  [link, "url", "path", "urls.form", "gives the path of the page only", (url) => new URL(String(url)).pathname],
  [
    link,
    "url",
    "app",
    "urls.form",
    "gives an address no browser opens",
    (url) => String(url).replace(/^http/, "approval"),
  ],
  [oauth, "oauthLoginRequestId", "other", "oauth.completed", "names another login request", another],
  [oauth, "oauthLoginRequestId", "dropped", "oauth.completed", "names no login request", drop],
  [oauth, "browserReturnUrl", "dropped", "oauth.completed", "does not say where the browser goes on", drop],
  [
    oauth,
    "browserReturnUrl",
    "path",
    "oauth.completed",
    "gives a path for the browser to go on at",
    (url) => new URL(String(url)).pathname,
  ],
  [oauth, "resourceVersion", "dropped", "oauth.completed", "gives no version", drop],
  [oauth, "completedAt", "dropped", "oauth.completed", "does not say when it was completed", drop],
  [oauth, "completedAt", "past", "records.times", "was completed years ago", past],
];

export const issuedReplies: readonly Fault[] = rows.map(([rpc, path, what, breaks, says, change]) =>
  defineBetaFault({
    id: `lifecycle/beta-${rpc.split("/")[1]}-${path.replace(/^.*\./, "")}-${what}`,
    says: `${rpc.split("/")[1]} ${says}`,
    breaks: `beta.${breaks}`,
    rpc,
    decoration: changedReply(rpc, path, change),
  }),
);

/** Notes the first request's value of a field per user, and takes it for every other. */
function alwaysTheFirst(rpc: string, field: string): WireHooks {
  let known: JsonValue | undefined;
  return {
    request: forRpc(rpc, (json: JsonObject) => {
      known ??= json[field];
      return { ...json, [field]: known ?? null };
    }),
  };
}

/** Notes each user's live sessions, and uses one of them whatever session a call names. */
function anySession(rpc: string): WireHooks {
  const live = new Map<string, Set<string>>();
  const textOf = (value: JsonValue | undefined) => JSON.stringify(value ?? null);
  return {
    reply(json, call) {
      const session = json.session as JsonObject | undefined;
      if (session === undefined) return json;
      const user = textOf(session.customerUserId);
      const of = live.get(user) ?? new Set();
      live.set(user, of);
      if (call.rpc === `${sessions}/CreateSession`) of.add(textOf(session.sessionId));
      if (call.rpc === `${sessions}/DeleteSession`) of.delete(textOf(session.sessionId));
      return json;
    },
    request: forRpc(rpc, (json: JsonObject) => {
      const of = live.get(textOf(json.customerUserId)) ?? new Set();
      const [any] = of;
      const sessionId = any === undefined || of.has(textOf(json.sessionId)) ? json.sessionId : JSON.parse(any);
      return { ...json, sessionId: sessionId ?? null };
    }),
  };
}

const inSessions = ["beta.v1.RunService/CreateRun", ticket] as const;

/** What a session is named for does not matter. */
export const looseSessions: readonly Fault[] = inSessions.flatMap((rpc) =>
  (["deletion.effective", "isolation.reference"] as const).map((breaks) =>
    defineBetaFault({
      id: `${breaks === "deletion.effective" ? "lifecycle" : "isolation"}/beta-${rpc.split("/")[1]}-in-any-session`,
      says: `${rpc.split("/")[1]} takes ${breaks === "deletion.effective" ? "a deleted" : "a foreign"} session for one of the user's`,
      breaks: `beta.${breaks}`,
      rpc,
      decoration: anySession(rpc),
    }),
  ),
);

export const otherSessionFaults: readonly Fault[] = [
  defineBetaFault({
    id: "lifecycle/beta-CreateSession-keeps-to-one-version",
    says: "creates every session with the app version of the first",
    breaks: "beta.versioning.app-version",
    rpc: `${sessions}/CreateSession`,
    decoration: alwaysTheFirst(`${sessions}/CreateSession`, "appVersionId"),
  }),
];
