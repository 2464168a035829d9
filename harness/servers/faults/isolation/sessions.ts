import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { uuid } from "../../reference/beta/messages.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

const keyOf = (value: JsonValue | undefined) => JSON.stringify(value ?? null);

/** Uses one of the user's live sessions where a call names a session that is none of them. */
export function inAnySession(row: RpcRow): WireHooks {
  const live = new Map<string, Set<string>>();
  return {
    reply(json, call) {
      const session = json.session as JsonObject | undefined;
      if (session === undefined) return json;
      const user = keyOf(session.customerUserId);
      const own = live.get(user) ?? new Set();
      live.set(user, own);
      if (call.row.method === "CreateSession") own.add(keyOf(session.sessionId));
      if (call.row.method === "DeleteSession") own.delete(keyOf(session.sessionId));
      return json;
    },
    request: forRpc(row.name, (json: JsonObject) => {
      const own = live.get(keyOf(json.customerUserId)) ?? new Set();
      const [any] = own;
      const sessionId = any === undefined || own.has(keyOf(json.sessionId)) ? json.sessionId : JSON.parse(any);
      return { ...json, sessionId: sessionId ?? null };
    }),
  };
}

const inForeignSession = ["takes a foreign session for one of the user's", inAnySession] as const;

/** Takes a version of another app for one of the app's own. */
const ofAnyVersion = replacing((parts) => ({
  validate(context) {
    parts.validate(context);
    const { apps } = context.world as BetaWorld;
    const request = context.request as typeof context.request & { readonly appVersionId?: { readonly value: string } };
    const owner = apps.all.find((app) => app.versions.some((one) => one.appVersionId === idText(request.appVersionId)));
    const own = apps.all.find(({ appId }) => appId === context.tenant.appId);
    const version = own?.versions.find(({ state }) => state === "published");
    if (owner === undefined || owner === own || version === undefined) return;
    Object.assign(request, { appVersionId: uuid(version.appVersionId) });
  },
}));

const ofForeignVersion = ["takes a version of another app for one of its own", ofAnyVersion] as const;

export const foreignSessions: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.reference": {
    "CreateRun-in-any-session": inForeignSession,
    "CreateVoiceConnectionTicket-in-any-session": inForeignSession,
    "CreateRun-of-any-version": ofForeignVersion,
    "CreateSession-of-any-version": ofForeignVersion,
  },
});
