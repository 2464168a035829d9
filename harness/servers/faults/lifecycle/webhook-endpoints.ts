import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WebhookEndpoint } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { recordFields } from "../../../../proto/resources.ts";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { around } from "../../reference/main.ts";
import { inObject, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop, past } from "../values.ts";

/** Every rotation gives the signing secret that the endpoint was made with. */
function keepingSecret(row: RpcRow): WireHooks {
  const first = new Map<string, JsonValue>();
  return {
    reply(json, call) {
      if (json.signingSecret === undefined || json.signingSecret === "") return json;
      const endpoint = (json[row.record?.name ?? ""] ?? {}) as JsonObject;
      const id = JSON.stringify(endpoint[recordFields(row).id] ?? null);
      const known = first.get(id) ?? json.signingSecret;
      first.set(id, known);
      return call.rpc === row.name ? { ...json, signingSecret: known } : json;
    },
  };
}

/** Takes an update that leaves `enabled` out for one that enables. */
const enablingUnasked = {
  "UpdateWebhookEndpoint-enables-unasked": [
    "enables a disabled endpoint where the update leaves enabled out",
    onRequest((json) => (json.enabled === undefined ? { ...json, enabled: true } : json)),
  ],
} as const;

/** What only switches an endpoint on or off is no change of it. */
const undatedSwitch = around(WebhookService.method.updateWebhookEndpoint, (next) => async (context, request) => {
  const { name, url, enabled, updatedAt } = context.subject as WebhookEndpoint;
  const reply = await next(context, request);
  if (name !== request.name || url !== request.url || enabled === request.enabled) return reply;
  const { webhook_endpoint: endpoints } = context.world.tables;
  return { ...reply, endpoint: endpoints.change(idText(request.endpointId), { updatedAt }, { sameVersion: true }) };
});

/** Updates store the first 64 letters of a name. */
const cutByUpdates = onRequest((json) => ({ ...json, name: String(json.name ?? "").slice(0, 64) }));

export const alphaEndpointFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.update-time": {
    "UpdateWebhookEndpoint-switch-undated": [
      "dates no update that only enables or disables",
      { handlers: undatedSwitch },
    ],
  },
  "*.records.echo": {
    ...enablingUnasked,
    "UpdateWebhookEndpoint-long-name-cut": ["stores the first 64 letters of a name", cutByUpdates],
  },
  "*.records.agree": {
    "ListWebhookEndpoints-all-enabled": [
      "lists a disabled endpoint as enabled",
      inObject("endpoints[]", (endpoint) => ({ ...endpoint, enabled: true })),
    ],
  },
  "*.webhooks.signing-secret": {
    "CreateWebhookEndpoint-without-secret": ["comes without the signing secret", inReply("signingSecret", drop)],
    "RotateWebhookSecret-without-secret": ["comes without the signing secret", inReply("signingSecret", drop)],
  },
  "*.webhooks.rotation": {
    "RotateWebhookSecret-keeps-the-secret": ["a rotation returns the secret the endpoint had", keepingSecret],
  },
  "*.webhooks.previous-expiry": {
    "RotateWebhookSecret-without-expiry": [
      "a rotation does not say when the previous secret expires",
      inReply("previousSecretExpiresAt", drop),
    ],
  },
  "*.records.times": {
    "RotateWebhookSecret-previous-secret-never-was": [
      "the previous secret expired before the endpoint was made",
      inReply("previousSecretExpiresAt", past),
    ],
  },
});

const withoutSecret = [
  "comes without the signing secret",
  inReply("signingSecret", drop),
  // It is the plaintext that the first success returns.
  { entails: ["*.credentials.first"] },
] as const;

export const betaEndpointFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "ListWebhookEndpoints-all-enabled": [
      "lists a disabled endpoint as enabled",
      inObject("webhookEndpoints[]", (endpoint) => ({ ...endpoint, enabled: true })),
    ],
  },
  "*.webhooks.signing-secret": {
    "CreateWebhookEndpoint-without-secret": withoutSecret,
    "RotateWebhookSecret-without-secret": withoutSecret,
  },
  "*.webhooks.rotation": {
    "RotateWebhookSecret-keeps-the-secret": ["a rotation returns the secret the endpoint had", keepingSecret],
  },
  "*.records.echo": {
    ...enablingUnasked,
    "RotateWebhookSecret-changes-types": [
      "a rotation shows an endpoint without its event types",
      inReply("webhookEndpoint.eventTypes", drop),
    ],
  },
});
