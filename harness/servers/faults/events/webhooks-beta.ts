import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WebhookEndpoint } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import type { BetaParts, WebhookEvent } from "../../reference/beta/parts.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration, type BetaWorld } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";
import { rememberingEndpoints } from "./remembered-endpoints.ts";

const service = "beta.v1.WebhookService";
const list = `${service}/ListWebhookDeliveries`;
const create = `${service}/CreateWebhookEndpoint`;
const update = `${service}/UpdateWebhookEndpoint`;
const remove = `${service}/DeleteWebhookEndpoint`;
const rotate = `${service}/RotateWebhookSecret`;
const redeliver = `${service}/RedeliverWebhookDelivery`;
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };
const { method } = WebhookService;

/** Events go to whoever ever had an endpoint in the app that `hears` of them, at the url of then. */
function toAllEverMade(hears: (world: BetaWorld, id: string, made: WebhookEndpoint, event: WebhookEvent) => boolean) {
  const { made, handlers } = rememberingEndpoints();
  return {
    handlers,
    parts: ({ subscribers, destination }: BetaParts) => ({
      subscribers: (world, event) => {
        const usual = subscribers(world, event);
        const known = new Set(usual.map((one) => idText(one.webhookEndpointId)));
        const others = [...made].filter(
          ([id, one]) =>
            !known.has(id) && idText(one.appId) === idText(event.run.appId) && hears(world, id, one, event),
        );
        return [...usual, ...others.map(([, one]) => one)];
      },
      destination: (world, delivery) => {
        const url = made.get(idText(delivery.webhookEndpointId))?.url;
        return destination(world, delivery) ?? (url === undefined ? undefined : { url, secrets: [] });
      },
    }),
  } satisfies BetaDecoration;
}

const exists = (world: BetaWorld, id: string) => world.tables.webhook_endpoint.find(id)?.deleted === false;

/** Deliveries go where the endpoint was at first. */
function toTheOldUrl(): BetaDecoration {
  const { made, handlers } = rememberingEndpoints();
  return {
    handlers,
    parts: ({ destination }: BetaParts) => ({
      destination: (world, delivery) => {
        const there = destination(world, delivery);
        const url = made.get(idText(delivery.webhookEndpointId))?.url;
        return there && { ...there, url: url ?? there.url };
      },
    }),
  };
}

/** An endpoint hears of what it was made for, whatever it subscribes to now. */
function firstTypesOnly(): BetaDecoration {
  const { made, handlers } = rememberingEndpoints();
  return {
    handlers,
    parts: ({ subscribers }: BetaParts) => ({
      subscribers: (world, event) =>
        subscribers(world, event).filter(
          (one) => made.get(idText(one.webhookEndpointId))?.eventTypes.includes(event.type) ?? true,
        ),
    }),
  };
}

/** Events of one type are told to every enabled endpoint of the app. */
function toEverybody(type: string): BetaDecoration {
  return {
    parts: ({ subscribers }: BetaParts) => ({
      subscribers: (world, event) => {
        if (typeName(event) !== type) return subscribers(world, event);
        return world.tables.webhook_endpoint
          .entries(idText(event.run.workspaceId))
          .filter(
            ({ deleted, record }) => !deleted && record.enabled && idText(record.appId) === idText(event.run.appId),
          )
          .map(({ record }) => record);
      },
    }),
  };
}

const types = ["RUN_STATE_CHANGED", "RUN_COMPLETED", "RUN_FAILED", "RUN_OUTCOME_UNKNOWN", "APPROVAL_REQUIRED"] as const;

function typeName({ type }: WebhookEvent): string {
  return types[type - 1] ?? "";
}

/** Once an RPC was called about an endpoint, and `ends` says so, it gets no delivery any more. */
function silencing(rpc: string, ends: (request: JsonObject) => boolean): BetaDecoration {
  const silent = new Set<string>();
  return {
    request: forRpc(rpc, (json: JsonObject) => {
      const { value } = (json.webhookEndpointId ?? {}) as { value?: string };
      if (ends(json)) silent.add(String(value).toLowerCase());
      return json;
    }),
    parts: ({ subscribers }: BetaParts) => ({
      subscribers: (world, event) =>
        subscribers(world, event).filter((one) => !silent.has(idText(one.webhookEndpointId))),
    }),
  };
}

/** The signing secret an endpoint was made with comes with each rotation. */
function sameSecret(): BetaDecoration {
  const first = new Map<string, JsonValue>();
  return {
    reply(json, call) {
      if (json.signingSecret === undefined || json.signingSecret === "") return json;
      const id = JSON.stringify((json.webhookEndpoint as JsonObject | undefined)?.webhookEndpointId ?? null);
      const known = first.get(id) ?? json.signingSecret;
      first.set(id, known);
      return call.rpc === rotate ? { ...json, signingSecret: known } : json;
    },
  };
}

/** A header of every delivery that shows one of the signing secrets in force. */
function secretInHeader(header: string, form: (secrets: readonly string[]) => string): BetaDecoration {
  return {
    parts: ({ signDelivery }: BetaParts) => ({
      signDelivery: (post, secrets) => ({ ...signDelivery(post, secrets), [header]: form(secrets) }),
    }),
  };
}

/** Delivery records that are wrong in themselves. */
function recorded(edit: (record: JsonObject) => JsonObject): BetaDecoration {
  return {
    reply: forRpc(list, (json: JsonObject) =>
      editAt(json, "webhookDeliveries[]", (record) => edit(record as JsonObject)),
    ),
  };
}

const without = (record: JsonObject, field: string): JsonObject => {
  const { [field]: _, ...others } = record;
  return others;
};

const attempted = (record: JsonObject) => record.attemptCount !== undefined;

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: BetaDecoration];

const linkRows: readonly Row[] = (
  [
    ["subjectId", () => noId, "webhooks.links", "deliveries name another subject"],
    ["eventId", () => undefined, "webhooks.links", "deliveries name no event"],
    ["webhookEndpointId", () => undefined, "webhooks.links", "deliveries name no endpoint"],
    ["eventType", () => undefined, "webhooks.links", "deliveries do not say of what type their event is"],
    ["eventType", () => "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED", "webhooks.links", "every delivery is of one type"],
    ["eventVersion", () => undefined, "versioning.event-version", "deliveries do not say the version of their event"],
  ] as const
).map(([field, change, breaks, says], index) => [
  `${field}-${index}`,
  list,
  breaks,
  says,
  changedReply(list, `webhookDeliveries[].${field}`, change),
]);

const typeRows: readonly Row[] = types.flatMap((type): readonly Row[] => {
  const name = type.toLowerCase().replaceAll("_", "-");
  return [
    [
      `${name}-to-everybody`,
      create,
      "webhooks.event-types",
      `events of type ${type} go to endpoints that did not subscribe to them`,
      toEverybody(type),
    ],
    [
      `${name}-to-nobody`,
      create,
      "webhooks.delivered",
      `events of type ${type} are not delivered`,
      {
        parts: ({ subscribers }) => ({
          subscribers: (world, event) => (typeName(event) === type ? [] : subscribers(world, event)),
        }),
      },
    ],
  ];
});

const rows: readonly Row[] = [
  ["none", list, "webhooks.delivered", "nothing is delivered", { parts: () => ({ subscribers: () => [] }) }],
  [
    "while-disabled",
    update,
    "webhooks.disabled",
    "disabled endpoints go on receiving",
    toAllEverMade((world, id, one, { type }) => exists(world, id) && one.eventTypes.includes(type)),
  ],
  [
    "after-delete",
    remove,
    "webhooks.disabled",
    "deleted endpoints go on receiving",
    toAllEverMade((world, id, one, { type }) => !exists(world, id) && one.eventTypes.includes(type)),
  ],
  [
    "of-types-left",
    update,
    "webhooks.event-types",
    "endpoints go on hearing of the types they were made for",
    toAllEverMade(
      (world, id, one, { type }) =>
        one.eventTypes.includes(type) && world.tables.webhook_endpoint.find(id)?.record.enabled === true,
    ),
  ],
  ["of-first-types-only", update, "webhooks.delivered", "a change of types brings no new events", firstTypesOnly()],
  [
    "to-the-old-url",
    update,
    "webhooks.delivered",
    "deliveries go on to the url the endpoint was made with",
    toTheOldUrl(),
  ],
  [
    "never-enabled-again",
    update,
    "webhooks.delivered",
    "an endpoint that was once disabled stays silent",
    silencing(update, ({ enabled }) => enabled !== true),
  ],
  [
    "ends-with-rotation",
    rotate,
    "webhooks.delivered",
    "an endpoint whose secret was rotated stays silent",
    silencing(rotate, () => true),
  ],
  ...linkRows,
  ...typeRows,
  [
    "failure-recorded-as-success",
    list,
    "webhooks.records",
    "every attempt is recorded as delivered",
    recorded((record) => (attempted(record) ? { ...record, state: "WEBHOOK_DELIVERY_STATE_DELIVERED" } : record)),
  ],
  [
    "sent-is-delivered",
    list,
    "webhooks.records",
    "a delivery is recorded as delivered before it was answered",
    {
      parts: ({ postDelivery }) => ({
        postDelivery: (post, timeoutMs, signal) => {
          void postDelivery(post, timeoutMs, signal);
          return Promise.resolve(200);
        },
      }),
    },
  ],
  [
    "attempts-miscounted",
    list,
    "webhooks.records",
    "deliveries count an attempt too many",
    recorded((record) => (attempted(record) ? { ...record, attemptCount: Number(record.attemptCount) + 1 } : record)),
  ],
  [
    "attempts-uncounted",
    list,
    "webhooks.records",
    "deliveries do not count attempts",
    recorded((record) => without(record, "attemptCount")),
  ],
  [
    "undated",
    list,
    "webhooks.records",
    "deliveries do not say when they were delivered",
    recorded((record) => without(record, "deliveredAt")),
  ],
  [
    "forever-pending",
    list,
    "webhooks.records",
    "deliveries stay pending though they arrived",
    recorded((record) => without({ ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" }, "deliveredAt")),
  ],
  [
    "ignore-endpoint",
    list,
    "filters.hold",
    "the listing shows the deliveries of every endpoint",
    { request: forRpc(list, (json: JsonObject) => without(json, "webhookEndpointId")) },
  ],
  [
    "listed-incompletely",
    list,
    "filters.complete",
    "the listing shows one delivery a page",
    {
      reply: forRpc(list, (json: JsonObject) => ({
        ...json,
        webhookDeliveries: ((json.webhookDeliveries ?? []) as JsonValue[]).slice(0, 1),
      })),
    },
  ],
  [
    "redelivery-not-sent",
    redeliver,
    "webhooks.redelivered",
    "a redelivery is recorded and not sent",
    {
      handlers: aroundBeta(method.redeliverWebhookDelivery, (next) => async (context, request) => {
        const reply = await next(context, request);
        context.world.deliveries.cancel((id) => id === idText(request.webhookDeliveryId));
        return reply;
      }),
    },
  ],
  ...(["webhookDeliveryId", "eventId", "eventType", "eventVersion", "subjectId"] as const).map(
    (field): Row => [
      `redelivery-without-${field}`,
      redeliver,
      "webhooks.redelivery",
      `a redelivery returns a record without its ${field}`,
      changedReply(redeliver, `webhookDelivery.${field}`, () => undefined),
    ],
  ),
  [
    "secret-in-header",
    create,
    "webhooks.secret-elsewhere",
    "deliveries carry the signing secret in a header",
    secretInHeader("x-webhook-secret", (secrets) => secrets[0] ?? ""),
  ],
  [
    "previous-secret-in-header",
    rotate,
    "webhooks.secret-elsewhere",
    "after a rotation deliveries carry the secret before",
    secretInHeader("x-previous-secret", (secrets) => secrets[1] ?? ""),
  ],
];

const ofEndpoints: readonly Row[] = [
  [
    "created-without-secret",
    create,
    "webhooks.signing-secret",
    "a new endpoint comes without its signing secret",
    changedReply(create, "signingSecret", () => undefined),
  ],
  [
    "rotated-without-secret",
    rotate,
    "webhooks.signing-secret",
    "a rotation does not return the new secret",
    changedReply(rotate, "signingSecret", () => undefined),
  ],
  [
    "rotation-keeps-the-secret",
    rotate,
    "webhooks.rotation",
    "a rotation returns the secret the endpoint had",
    sameSecret(),
  ],
  [
    "rotation-changes-types",
    rotate,
    "records.echo",
    "a rotation shows an endpoint without its event types",
    changedReply(rotate, "webhookEndpoint.eventTypes", () => undefined),
  ],
];

export const betaWebhookFaults: readonly Fault[] = [
  ...rows.map(([id, rpc, breaks, says, decoration]) =>
    defineBetaFault({ id: `events/beta-deliveries-${id}`, says, breaks: `beta.${breaks}`, rpc, decoration }),
  ),
  ...ofEndpoints.map(([id, rpc, breaks, says, decoration]) =>
    defineBetaFault({ id: `lifecycle/beta-endpoint-${id}`, says, breaks: `beta.${breaks}`, rpc, decoration }),
  ),
];
