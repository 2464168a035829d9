import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WebhookEndpoint } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import type { AlphaParts } from "../../reference/alpha/parts.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const service = "alpha.v1.WebhookService";
const list = `${service}/ListWebhookDeliveries`;
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };
const { method } = WebhookService;

/** Endpoints as they were made, by id, whatever became of them. */
function rememberingEndpoints() {
  const made = new Map<string, WebhookEndpoint>();
  return {
    made,
    handlers: around(method.createWebhookEndpoint, (next) => async (context, request) => {
      const reply = await next(context, request);
      if (reply.endpoint !== undefined) made.set(idText(reply.endpoint.id), reply.endpoint);
      return reply;
    }),
  };
}

/** Deliveries go to whoever ever had an endpoint in the workspace, at the url of then. */
function toAllEverMade(stillThere: boolean): AlphaDecoration {
  const { made, handlers } = rememberingEndpoints();
  return {
    handlers,
    parts: ({ subscribers, destination }: AlphaParts) => ({
      subscribers: (world, job) => {
        const usual = subscribers(world, job);
        const others = [...made].flatMap(([id, endpoint]) => {
          const known = usual.some((one) => idText(one.id) === id);
          const exists = world.tables.webhook_endpoint.find(id) !== undefined;
          return known || exists !== stillThere || idText(endpoint.workspaceId) !== idText(job.workspaceId)
            ? []
            : [endpoint];
        });
        return [...usual, ...others];
      },
      destination: (world, delivery) => {
        const url = made.get(idText(delivery.endpointId))?.url;
        return destination(world, delivery) ?? (url === undefined ? undefined : { url, secrets: [] });
      },
    }),
  };
}

/** Deliveries go where the endpoint was at first. */
function toTheOldUrl(): AlphaDecoration {
  const { made, handlers } = rememberingEndpoints();
  return {
    handlers,
    parts: ({ destination }: AlphaParts) => ({
      destination: (world, delivery) => {
        const there = destination(world, delivery);
        const url = made.get(idText(delivery.endpointId))?.url;
        return there && { ...there, url: url ?? there.url };
      },
    }),
  };
}

/** Once an RPC was called about an endpoint, and `ends` says so, it gets no delivery any more. */
function silencing(rpc: string, ends: (request: JsonObject) => boolean): AlphaDecoration {
  const silent = new Set<string>();
  return {
    request: forRpc(rpc, (json: JsonObject) => {
      const { value } = (json.endpointId ?? {}) as { value?: string };
      if (ends(json)) silent.add(String(value).toLowerCase());
      return json;
    }),
    parts: ({ subscribers }: AlphaParts) => ({
      subscribers: (world, job) => subscribers(world, job).filter((endpoint) => !silent.has(idText(endpoint.id))),
    }),
  };
}

/** The signing secret an endpoint was made with comes with each rotation. */
function sameSecret(): AlphaDecoration {
  const first = new Map<string, JsonValue>();
  return {
    reply(json, call) {
      if (json.signingSecret === undefined) return json;
      const id = JSON.stringify((json.endpoint as JsonObject | undefined)?.id ?? null);
      const known = first.get(id) ?? json.signingSecret;
      first.set(id, known);
      return call.rpc === `${service}/RotateWebhookSecret` ? { ...json, signingSecret: known } : json;
    },
  };
}

/** A header of every delivery that shows one of the signing secrets in force. */
function secretInHeader(header: string, form: (secrets: readonly string[]) => string): AlphaDecoration {
  return {
    parts: ({ signDelivery }: AlphaParts) => ({
      signDelivery: (post, secrets) => ({ ...signDelivery(post, secrets), [header]: form(secrets) }),
    }),
  };
}

/** The body of every delivery shows the signing secret. */
function secretInBody(): AlphaDecoration {
  const secrets = new Map<string, string>();
  return {
    parts: ({ signDelivery, postDelivery }: AlphaParts) => ({
      signDelivery: (post, inForce) => {
        secrets.set(post.url, inForce[0] ?? "");
        return signDelivery(post, inForce);
      },
      postDelivery: (post, timeoutMs, signal) => {
        const body = JSON.stringify({ ...(JSON.parse(post.body) as object), key: secrets.get(post.url) ?? "" });
        return postDelivery({ ...post, body }, timeoutMs, signal);
      },
    }),
  };
}

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: AlphaDecoration];

const rows: readonly Row[] = [
  ["none", list, "alpha.webhooks.delivered", "nothing is delivered", { parts: () => ({ subscribers: () => [] }) }],
  [
    "while-disabled",
    `${service}/UpdateWebhookEndpoint`,
    "alpha.webhooks.disabled",
    "disabled endpoints go on receiving",
    toAllEverMade(true),
  ],
  [
    "after-delete",
    `${service}/DeleteWebhookEndpoint`,
    "alpha.webhooks.disabled",
    "deleted endpoints go on receiving",
    toAllEverMade(false),
  ],
  [
    "to-the-old-url",
    `${service}/UpdateWebhookEndpoint`,
    "alpha.webhooks.delivered",
    "deliveries go on to the url the endpoint was made with",
    toTheOldUrl(),
  ],
  [
    "never-enabled-again",
    `${service}/UpdateWebhookEndpoint`,
    "alpha.webhooks.delivered",
    "an endpoint that was once disabled stays silent",
    silencing(`${service}/UpdateWebhookEndpoint`, ({ enabled }) => enabled !== true),
  ],
  [
    "ends-with-rotation",
    `${service}/RotateWebhookSecret`,
    "alpha.webhooks.delivered",
    "an endpoint whose secret was rotated stays silent",
    silencing(`${service}/RotateWebhookSecret`, () => true),
  ],
  [
    "redelivery-not-sent",
    `${service}/RedeliverWebhookDelivery`,
    "alpha.webhooks.redelivered",
    "a redelivery is recorded and not sent",
    {
      handlers: around(method.redeliverWebhookDelivery, (next) => async (context, request) => {
        const reply = await next(context, request);
        context.world.deliveries.cancel((id) => id === idText(request.deliveryId));
        return reply;
      }),
    },
  ],
  [
    "redelivery-of-another",
    `${service}/RedeliverWebhookDelivery`,
    "alpha.webhooks.redelivery",
    "a redelivery returns another delivery's record",
    changedReply(`${service}/RedeliverWebhookDelivery`, "delivery.id", () => noId),
  ],
  [
    "redelivery-of-another-event",
    `${service}/RedeliverWebhookDelivery`,
    "alpha.webhooks.redelivery",
    "a redelivery returns a record of another event",
    changedReply(`${service}/RedeliverWebhookDelivery`, "delivery.eventId", () => noId),
  ],
  [
    "redelivery-of-another-job",
    `${service}/RedeliverWebhookDelivery`,
    "alpha.webhooks.redelivery",
    "a redelivery returns a record without its job",
    changedReply(`${service}/RedeliverWebhookDelivery`, "delivery.jobId", () => undefined),
  ],
  [
    "secret-in-header",
    `${service}/CreateWebhookEndpoint`,
    "alpha.webhooks.secret-elsewhere",
    "deliveries carry the signing secret in a header",
    secretInHeader("x-webhook-secret", (secrets) => secrets[0] ?? ""),
  ],
  [
    "secret-in-header-as-hex",
    `${service}/CreateWebhookEndpoint`,
    "alpha.webhooks.secret-elsewhere",
    "deliveries carry the signing secret in a header, as hexadecimal",
    secretInHeader("x-webhook-key", (secrets) => Buffer.from(secrets[0] ?? "").toString("hex")),
  ],
  [
    "secret-in-body",
    `${service}/CreateWebhookEndpoint`,
    "alpha.webhooks.secret-elsewhere",
    "deliveries carry the signing secret in their body",
    secretInBody(),
  ],
  [
    "previous-secret-in-header",
    `${service}/RotateWebhookSecret`,
    "alpha.webhooks.secret-elsewhere",
    "after a rotation deliveries carry the secret before",
    secretInHeader("x-previous-secret", (secrets) => secrets[1] ?? ""),
  ],
];

const ofEndpoints: readonly Row[] = [
  [
    "created-without-secret",
    `${service}/CreateWebhookEndpoint`,
    "alpha.webhooks.signing-secret",
    "a new endpoint comes without its signing secret",
    changedReply(`${service}/CreateWebhookEndpoint`, "signingSecret", () => undefined),
  ],
  [
    "rotated-without-secret",
    `${service}/RotateWebhookSecret`,
    "alpha.webhooks.signing-secret",
    "a rotation does not return the new secret",
    changedReply(`${service}/RotateWebhookSecret`, "signingSecret", () => undefined),
  ],
  [
    "rotation-keeps-the-secret",
    `${service}/RotateWebhookSecret`,
    "alpha.webhooks.rotation",
    "a rotation returns the secret the endpoint had",
    sameSecret(),
  ],
  [
    "rotation-without-expiry",
    `${service}/RotateWebhookSecret`,
    "alpha.webhooks.previous-expiry",
    "a rotation does not say when the previous secret expires",
    changedReply(`${service}/RotateWebhookSecret`, "previousSecretExpiresAt", () => undefined),
  ],
  [
    "previous-secret-never-was",
    `${service}/RotateWebhookSecret`,
    "alpha.records.times",
    "the previous secret expired before the endpoint was made",
    changedReply(`${service}/RotateWebhookSecret`, "previousSecretExpiresAt", () => "2001-01-01T00:00:00Z"),
  ],
];

export const webhookFaults: readonly Fault[] = [
  ...rows.map(([id, rpc, breaks, says, decoration]) =>
    defineFault({ id: `events/deliveries-${id}`, says, breaks, rpc, decoration }),
  ),
  ...ofEndpoints.map(([id, rpc, breaks, says, decoration]) =>
    defineFault({ id: `lifecycle/endpoint-${id}`, says, breaks, rpc, decoration }),
  ),
];
