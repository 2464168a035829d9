import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
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

export const alphaEndpointFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.echo": enablingUnasked,
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
