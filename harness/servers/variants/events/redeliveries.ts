import { create } from "@bufbuild/protobuf";
import {
  WebhookDeliverySchema,
  WebhookDeliveryState,
  WebhookEventType,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import {
  RedeliverWebhookDeliveryResponseSchema,
  WebhookService,
} from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { uuid } from "../../reference/beta/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { listWebhookDeliveries, redeliverWebhookDelivery } = WebhookService.method;
const { APPROVAL_REQUIRED } = WebhookEventType;

/** Deliveries and redeliveries as records: how many there are of one event, and what they say they are about. */
export const redeliveryVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "redelivery-is-a-new-record",
    says: "makes a delivery of its own of every redelivery, of the same event",
    open: ["beta.open.webhook-retries"],
    decoration: {
      handlers: aroundBeta(redeliverWebhookDelivery, () => ({ world }, { webhookDeliveryId }) => {
        const { tables, deliveryBodies, deliveries } = world;
        const sentId = idText(webhookDeliveryId);
        const sent = tables.webhook_delivery.get(sentId);
        if (sent.state !== WebhookDeliveryState.DELIVERED && sent.state !== WebhookDeliveryState.FAILED) {
          refuse("FAILED_PRECONDITION", "only a delivered or failed delivery is sent again");
        }
        if (!tables.webhook_endpoint.find(idText(sent.webhookEndpointId))?.record.enabled) {
          refuse("FAILED_PRECONDITION", "the endpoint is disabled or deleted");
        }
        tables.webhook_delivery.change(sentId, {});
        const id = world.newId();
        const fresh = { attemptCount: 0, createdAt: undefined, deliveredAt: undefined, resourceVersion: 0n };
        const state = WebhookDeliveryState.PENDING;
        const webhookDelivery = tables.webhook_delivery.add(
          create(WebhookDeliverySchema, { ...sent, ...fresh, webhookDeliveryId: uuid(id), state }),
        );
        deliveryBodies.set(id, deliveryBodies.get(sentId) ?? "");
        deliveries.begin(id);
        return create(RedeliverWebhookDeliveryResponseSchema, { webhookDelivery });
      }),
    },
  }),
  defineBetaVariant({
    id: "approvals-told-of-their-run",
    says: "names the run, not the approval, as what an event about an approval is about",
    open: ["beta.open.webhook-form"],
    decoration: {
      parts: ({ deliveryBody }) => ({
        deliveryBody: (world, event) =>
          deliveryBody(
            world,
            event.type === APPROVAL_REQUIRED ? { ...event, subjectId: idText(event.run.runId) } : event,
          ),
      }),
      handlers: aroundBeta(listWebhookDeliveries, (next) => async (context, request) => {
        const { tables } = context.world;
        const reply = await next(context, request);
        const webhookDeliveries = reply.webhookDeliveries.map((one) =>
          one.eventType === APPROVAL_REQUIRED
            ? { ...one, subjectId: tables.approval.find(idText(one.subjectId))?.record.runId }
            : one,
        );
        return { ...reply, webhookDeliveries };
      }),
    },
  }),
];
