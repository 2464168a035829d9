import { type WebhookEndpoint, WebhookEventType } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Tells an endpoint of those of its types alone that `hears` leaves it. */
const telling = (hears: (types: readonly WebhookEventType[]) => readonly WebhookEventType[]): BetaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, event) {
      const isHeard = ({ eventTypes }: WebhookEndpoint) =>
        eventTypes.length === 0 || hears(eventTypes).includes(event.type);
      return subscribers(world, event).filter(isHeard);
    },
  }),
});

const least = (types: readonly WebhookEventType[]) => Math.min(...types);
const largest = (types: readonly WebhookEventType[]) => Math.max(...types);

/** Tells an endpoint that was updated of one of its types alone. */
const tellingUpdated = (index: number): BetaDecoration => {
  const kept = new Map<string, WebhookEventType>();
  return {
    handlers: aroundBeta(WebhookService.method.updateWebhookEndpoint, (next) => (context, request) => {
      const type = request.eventTypes.at(index);
      if (type !== undefined) kept.set(idText(request.webhookEndpointId), type);
      return next(context, request);
    }),
    parts: ({ subscribers }) => ({
      subscribers: (world, event) =>
        subscribers(world, event).filter(
          ({ webhookEndpointId }) => (kept.get(idText(webhookEndpointId)) ?? event.type) === event.type,
        ),
    }),
  };
};

/** Tells of each session its first event of a type alone. */
const tellingFirst = (told: WebhookEventType): BetaDecoration => {
  const known = new Map<string, string>();
  return {
    parts: ({ subscribers }) => ({
      subscribers(world, event) {
        const session = idText(event.run.sessionId);
        if (event.type === told && !known.has(session)) known.set(session, event.subjectId);
        const isFirst = event.type !== told || known.get(session) === event.subjectId;
        return isFirst ? subscribers(world, event) : [];
      },
    }),
  };
};

export const severalTypes: readonly Fault[] = faultsOf("events", "beta.v1", {
  "*.webhooks.delivered": {
    "CreateWebhookEndpoint-first-type-only": [
      "tells an endpoint of its first type alone",
      telling((types) => types.slice(0, 1)),
    ],
    "CreateWebhookEndpoint-last-type-only": [
      "tells an endpoint of its last type alone",
      telling((types) => types.slice(-1)),
    ],
    "CreateWebhookEndpoint-two-types-only": [
      "tells an endpoint of its first two types alone",
      telling((types) => types.slice(0, 2)),
    ],
    "CreateWebhookEndpoint-least-type-only": [
      "tells an endpoint of that of its types alone that is declared first",
      telling((types) => [least(types)]),
    ],
    "CreateWebhookEndpoint-largest-type-only": [
      "tells an endpoint of that of its types alone that is declared last",
      telling((types) => [largest(types)]),
    ],
    "UpdateWebhookEndpoint-first-type-only": ["an update brings events of its first type alone", tellingUpdated(0)],
    "UpdateWebhookEndpoint-last-type-only": ["an update brings events of its last type alone", tellingUpdated(-1)],
    "CreateWebhookEndpoint-first-run-of-a-session-only": [
      "tells of the first run of a session that succeeded alone",
      tellingFirst(WebhookEventType.RUN_COMPLETED),
    ],
    "CreateWebhookEndpoint-first-approval-of-a-session-only": [
      "tells of the first approval of a session alone",
      tellingFirst(WebhookEventType.APPROVAL_REQUIRED),
    ],
    "CreateWebhookEndpoint-one-type-only": [
      "tells an endpoint nothing that has several types",
      telling((types) => (types.length === 1 ? types : [])),
    ],
  },
});
