import { create } from "@bufbuild/protobuf";
import {
  RunState,
  WebhookDeliverySchema,
  WebhookDeliveryState,
  WebhookEventType,
  WebhookEventTypeSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { uuid } from "../../reference/beta/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { type Change, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { firstOfPage } from "../paging/filters.ts";
import { faultsOf } from "../table.ts";
import { another, drop, without } from "../values.ts";
import { ofBoth } from "./deliveries.ts";
import {
  allTypesOnceChanged,
  allTypesOnceEnabledAgain,
  allTypesOnceMoved,
  firstTypesOnly,
  tellingAllEverMade,
  typesOfTheFirstOnly,
  typesOfTheFirstToo,
} from "./endpoints.ts";

const eventTypes = WebhookEventTypeSchema.values.filter(({ number }) => number !== WebhookEventType.UNSPECIFIED);

/** Entries for each event type. */
const forEachType = (what: string, says: (type: string) => string, decorate: (type: number) => BetaDecoration) =>
  Object.fromEntries(
    eventTypes.map(({ localName, number }) => [
      `CreateWebhookEndpoint-${localName.toLowerCase().replaceAll("_", "-")}-${what}`,
      [says(localName), decorate(number)] as const,
    ]),
  );

/** Events of a type go to every enabled endpoint of the app. */
const toEverybody = (type: number): BetaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, event) {
      if (event.type !== type) return subscribers(world, event);
      const { appId, workspaceId } = event.run;
      return world.tables.webhook_endpoint
        .entries(idText(workspaceId))
        .filter(({ deleted, record }) => !deleted && record.enabled && idText(record.appId) === idText(appId))
        .map(({ record }) => record);
    },
  }),
});

/** Every enabled endpoint of the app hears that a run was canceled. */
const cancellationsToEverybody: BetaDecoration = {
  parts: (parts) => ({
    subscribers(world, event) {
      const isCanceled = event.type === WebhookEventType.RUN_STATE_CHANGED && event.run.state === RunState.CANCELED;
      const everybody = toEverybody(event.type).parts?.(parts).subscribers ?? parts.subscribers;
      return isCanceled ? everybody(world, event) : parts.subscribers(world, event);
    },
  }),
};

const toNobody = (type: number): BetaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers: (world, event) => (event.type === type ? [] : subscribers(world, event)),
  }),
});

/** Tells those who want to hear of failures that a run was canceled. */
const cancellationsAsFailures: BetaDecoration = {
  parts: (parts) => ({
    subscribers(world, event) {
      const { eventId, run, subjectId } = event;
      const isCanceled = event.type === WebhookEventType.RUN_STATE_CHANGED && run.state === RunState.CANCELED;
      const failure = { ...event, type: WebhookEventType.RUN_FAILED };
      for (const { workspaceId, appId, webhookEndpointId } of isCanceled ? parts.subscribers(world, failure) : []) {
        const id = world.newId();
        const named = { webhookDeliveryId: uuid(id), workspaceId, appId, webhookEndpointId, eventVersion: 1 };
        const told = { eventType: failure.type, eventId: uuid(eventId), subjectId: uuid(subjectId) };
        const state = WebhookDeliveryState.PENDING;
        world.tables.webhook_delivery.add(create(WebhookDeliverySchema, { ...named, ...told, state }));
        world.deliveryBodies.set(id, world.parts.deliveryBody(world, failure));
        world.deliveries.begin(id);
      }
      return parts.subscribers(world, event);
    },
  }),
};

const inDelivery = (field: string, change: Change) => inReply(`webhookDeliveries[].${field}`, change);

export const deliveryFaults: readonly Fault[] = faultsOf("events", "beta.v1", {
  ...ofBoth,
  "*.webhooks.delivered": {
    ...ofBoth["*.webhooks.delivered"],
    ...forEachType("to-nobody", (type) => `events of type ${type} are not delivered`, toNobody),
    "UpdateWebhookEndpoint-of-first-types-only": ["a change of types brings no new events", firstTypesOnly],
    "UpdateWebhookEndpoint-of-types-of-the-first-delivery": [
      "a change of types brings no new events once there was a delivery",
      typesOfTheFirstOnly,
    ],
  },
  "*.webhooks.event-types": {
    "UpdateWebhookEndpoint-types-of-the-first-delivery-too": [
      "events of former types go on coming once there was a delivery",
      typesOfTheFirstToo,
    ],
    ...forEachType(
      "to-everybody",
      (type) => `events of type ${type} go to endpoints that did not subscribe to them`,
      toEverybody,
    ),
    "CreateWebhookEndpoint-cancellations-to-everybody": [
      "that a run was canceled is told to endpoints that did not subscribe to changes of state",
      cancellationsToEverybody,
    ],
    "CreateWebhookEndpoint-cancellations-as-failures": [
      "tells of a run that was canceled as of one that failed, too",
      cancellationsAsFailures,
    ],
    "UpdateWebhookEndpoint-all-types-once-enabled-again": [
      "endpoints hear of all types once they were disabled and enabled again",
      allTypesOnceEnabledAgain,
    ],
    "UpdateWebhookEndpoint-all-types-once-moved": [
      "endpoints hear of all types once they have another url",
      allTypesOnceMoved,
    ],
    "RotateWebhookSecret-all-types-once-rotated": [
      "endpoints hear of all types once their secret was rotated",
      allTypesOnceChanged,
    ],
    "UpdateWebhookEndpoint-of-types-left": [
      "endpoints go on hearing of the types they were made for",
      tellingAllEverMade((now) => now?.enabled === true),
    ],
  },
  "*.webhooks.links": {
    "ListWebhookDeliveries-another-subjectId": ["deliveries name another subject", inDelivery("subjectId", another)],
    "ListWebhookDeliveries-no-eventId": ["deliveries name no event", inDelivery("eventId", drop)],
    "ListWebhookDeliveries-no-webhookEndpointId": [
      "deliveries name no endpoint",
      inDelivery("webhookEndpointId", drop),
    ],
    "ListWebhookDeliveries-no-eventType": [
      "deliveries do not say of what type their event is",
      inDelivery("eventType", drop),
    ],
    "ListWebhookDeliveries-one-eventType": [
      "every delivery is of one type",
      inDelivery("eventType", () => "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED"),
    ],
  },
  "*.versioning.event-version": {
    "ListWebhookDeliveries-no-eventVersion": [
      "deliveries do not say the version of their event",
      inDelivery("eventVersion", drop),
    ],
  },
  "*.filters.hold": {
    "ListWebhookDeliveries-ignore-endpoint": [
      "the listing shows the deliveries of every endpoint",
      onRequest((json) => without(json, "webhookEndpointId")),
      { entails: ["*.webhooks.links"] },
    ],
  },
  "*.filters.complete": {
    "ListWebhookDeliveries-listed-incompletely": [
      "the listing shows one delivery a page",
      firstOfPage("webhookDeliveries"),
    ],
  },
  "*.webhooks.redelivery": Object.fromEntries(
    ["webhookDeliveryId", "eventId", "eventType", "eventVersion", "subjectId"].map((field) => [
      `RedeliverWebhookDelivery-without-${field}`,
      [`a redelivery returns a record without its ${field}`, inReply(`webhookDelivery.${field}`, drop)] as const,
    ]),
  ),
});
