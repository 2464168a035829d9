import { create } from "@bufbuild/protobuf";
import { WebhookDeliverySchema, WebhookDeliveryState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import {
  RedeliverWebhookDeliveryResponseSchema,
  WebhookService,
} from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { uuid } from "../../reference/alpha/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { timestamp } from "../../reference/core/times.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** Redeliveries as records of alpha.v1. */
export const alphaRedeliveryVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "redelivery-leaves-the-old-record",
    says: "makes a delivery of its own of every redelivery, and changes nothing of the one it is asked of",
    open: ["alpha.open.webhook-retries"],
    decoration: {
      handlers: around(WebhookService.method.redeliverWebhookDelivery, () => ({ world }, { deliveryId }) => {
        const { tables, deliveryBodies, deliveries, clock } = world;
        const sentId = idText(deliveryId);
        const { workspaceId, endpointId, eventId, jobId, state: sentState } = tables.webhook_delivery.get(sentId);
        if (sentState !== WebhookDeliveryState.DELIVERED && sentState !== WebhookDeliveryState.FAILED) {
          refuse("FAILED_PRECONDITION", "only a delivered or failed delivery is sent again");
        }
        if (!tables.webhook_endpoint.find(idText(endpointId))?.record.enabled) {
          refuse("FAILED_PRECONDITION", "the endpoint is disabled or deleted");
        }
        const id = world.newId();
        const fresh = { state: WebhookDeliveryState.PENDING, nextAttemptAt: timestamp(clock.now()) };
        const links = { id: uuid(id), workspaceId, endpointId, eventId, jobId };
        const delivery = tables.webhook_delivery.add(create(WebhookDeliverySchema, { ...links, ...fresh }));
        deliveryBodies.set(id, deliveryBodies.get(sentId) ?? "");
        deliveries.begin(id);
        return create(RedeliverWebhookDeliveryResponseSchema, { delivery });
      }),
    },
    permits: ["not-exercised"],
  }),
];
