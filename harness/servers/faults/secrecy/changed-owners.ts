import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Change, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";

const issuing = rowsOf("beta.v1").filter((row) => row.plaintext.length > 0);

/** The id in a field of an object, in lower case. */
const idAt = (json: JsonObject, field: string) => String(((json[field] ?? {}) as JsonObject).value ?? "").toLowerCase();

/** Gives the plaintext again in replays, once another RPC served a call about the same owner. */
const repeatingAfter =
  (change: string, field: string, ownerIn: (json: JsonObject, call: Call) => string) =>
  (row: RpcRow): WireHooks => {
    const issued = new Map<string, { readonly plaintext: JsonValue; readonly owner: string }>();
    const changed = new Set<string>();
    const name = row.plaintext[0]?.name ?? "";
    return {
      reply(json, call) {
        if (call.rpc === change) changed.add(idAt(call.request, field));
        if (call.rpc !== row.name) return json;
        const id = idAt(call.request, "requestId");
        const known = issued.get(id);
        const plaintext = json[name];
        if (known === undefined && plaintext !== undefined) issued.set(id, { plaintext, owner: ownerIn(json, call) });
        return known !== undefined && changed.has(known.owner) ? { ...json, [name]: known.plaintext } : json;
      },
    };
  };

const asked = (field: string) => (_json: JsonObject, call: Call) => idAt(call.request, field);

const changes = [
  [
    "CreateWebhookEndpoint",
    "WebhookService/RotateWebhookSecret",
    "webhookEndpointId",
    (json: JsonObject) => idAt((json.webhookEndpoint ?? {}) as JsonObject, "webhookEndpointId"),
  ],
  ["IssueBrowserToken", "CustomerUserService/UpdateCustomerUserGrant", "customerUserId", asked("customerUserId")],
  ["RotateWebhookSecret", "WebhookService/UpdateWebhookEndpoint", "webhookEndpointId", asked("webhookEndpointId")],
] as const;

export const changedOwners: readonly Fault[] = changes.flatMap(([method, change, field, ownerIn]) =>
  faultsAt(
    issuing.filter((row) => row.method === method),
    {
      id: "secrecy/plaintext-again-once-its-owner-changed",
      says: `gives the plaintext again in replays after ${change.split("/")[1]}`,
      breaks: "*.credentials.once",
      decorate: repeatingAfter(`beta.v1.${change}`, field, ownerIn),
    },
  ),
);

export const revokedOwners: readonly Fault[] = faultsAt(
  issuing.filter(({ method }) => method === "IssueBrowserToken"),
  {
    id: "secrecy/plaintext-again-once-its-owner-is-revoked",
    says: "gives the plaintext again in replays after the revocation of its grant",
    breaks: "*.credentials.once",
    decorate: repeatingAfter(
      "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
      "customerUserId",
      asked("customerUserId"),
    ),
  },
);

/** Gives the plaintext again to a replay that comes after another version was sent under its requestId. */
function repeatingAfterConflict(row: RpcRow): WireHooks {
  const issued = new Map<string, { readonly version: JsonValue; readonly plaintext: JsonValue; disputed: boolean }>();
  const name = row.plaintext[0]?.name ?? "";
  const versionOf = (json: JsonObject) => String(json[row.expectedVersion?.name ?? ""] ?? "");
  return {
    request(json, call) {
      const known = call.rpc === row.name ? issued.get(idAt(json, "requestId")) : undefined;
      if (known !== undefined && known.version !== versionOf(json)) known.disputed = true;
      return json;
    },
    reply(json, call) {
      if (call.rpc !== row.name) return json;
      const id = idAt(call.request, "requestId");
      const known = issued.get(id);
      const plaintext = json[name];
      if (known === undefined && plaintext !== undefined)
        issued.set(id, { version: versionOf(call.request), plaintext, disputed: false });
      return known?.disputed === true && known.version === versionOf(call.request)
        ? { ...json, [name]: known.plaintext }
        : json;
    },
  };
}

export const disputedRequestIds: readonly Fault[] = faultsAt(
  issuing.filter(({ change }) => change === Change.ROTATES),
  {
    id: "secrecy/plaintext-again-after-a-conflict",
    says: "gives the plaintext again to a replay that comes after another version under its requestId",
    breaks: "*.credentials.once",
    decorate: repeatingAfterConflict,
  },
);

/** Shows in refusals of a deletion the ticket that its session has. */
function showingTicket(row: RpcRow): WireHooks {
  const tickets = new Map<string, JsonValue>();
  return {
    reply(json, call) {
      if (json.ticket !== undefined) tickets.set(idAt(call.request, "sessionId"), json.ticket);
      return json;
    },
    error(error, call) {
      const ticket = call.rpc === row.name ? tickets.get(idAt(call.request, "sessionId")) : undefined;
      return ticket === undefined || !/version/i.test(JSON.stringify(error))
        ? error
        : { ...error, message: `${error.message} (${ticket})` };
    },
  };
}

export const conflictLeaks: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.elsewhere": {
    "DeleteSession-refusal-shows-the-ticket": [
      "shows the session's voice ticket when it refuses a version that is not current",
      showingTicket,
    ],
  },
});
