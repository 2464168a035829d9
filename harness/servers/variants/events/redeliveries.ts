import { create } from "@bufbuild/protobuf";
import {
  type WebhookDelivery,
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
import type { BetaContext } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { checkRedelivery } from "../../reference/core/redelivery.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

const { listWebhookDeliveries, redeliverWebhookDelivery } = WebhookService.method;
const { APPROVAL_REQUIRED } = WebhookEventType;

/** A delivery that names the job of the run it is about. */
function toldOfJob<D extends Pick<WebhookDelivery, "subjectId">>({ world }: BetaContext, delivery: D): D {
  const run = world.tables.run.find(idText(delivery.subjectId))?.record;
  return run === undefined ? delivery : { ...delivery, subjectId: run.jobId };
}

/** A handler that makes a new delivery of every redelivery. @param moves whether the one that was sent gets a new version */
const redeliveringAnew = (moves: boolean) =>
  aroundBeta(redeliverWebhookDelivery, () => ({ world }, { webhookDeliveryId }) => {
    const { tables, deliveryBodies, deliveries } = world;
    const sentId = idText(webhookDeliveryId);
    const sent = tables.webhook_delivery.get(sentId);
    checkRedelivery(world, sentId, WebhookDeliveryState[sent.state]);
    if (!tables.webhook_endpoint.find(idText(sent.webhookEndpointId))?.record.enabled) {
      refuse("FAILED_PRECONDITION", "the endpoint is disabled or deleted");
    }
    if (moves) tables.webhook_delivery.change(sentId, {});
    const id = world.newId();
    const fresh = { attemptCount: 0, createdAt: undefined, deliveredAt: undefined, resourceVersion: 0n };
    const state = WebhookDeliveryState.PENDING;
    const webhookDelivery = tables.webhook_delivery.add(
      create(WebhookDeliverySchema, { ...sent, ...fresh, webhookDeliveryId: uuid(id), state }),
    );
    deliveryBodies.set(id, deliveryBodies.get(sentId) ?? "");
    deliveries.begin(id);
    return create(RedeliverWebhookDeliveryResponseSchema, { webhookDelivery });
  });

/** Redeliveries: of which deliveries there are any, how many records there are of one event, and what they say they are about. */
export const redeliveryVariants: readonly Variant[] = [
  ...defineVariants({
    id: "redelivers-what-was-not-delivered",
    says: "sends a delivery again that failed or waits for its next attempt, and none that was delivered",
    open: ["*.open.transitions"],
    decoration: { choices: { redeliveredStates: ["PENDING", "FAILED"] } },
  }),
  ...defineVariants({
    id: "redelivers-what-failed",
    says: "sends a delivery again that was given up, and no other",
    open: ["*.open.transitions"],
    // Beside others that give nothing up nothing could be sent again.
    alone: true,
    decoration: { choices: { redeliveredStates: ["FAILED"] } },
  }),
  defineBetaVariant({
    id: "redelivery-is-a-new-record",
    says: "makes a delivery of its own of every redelivery, of the same event",
    open: ["beta.open.webhook-retries"],
    decoration: { handlers: redeliveringAnew(true) },
    permits: ["not-exercised"],
  }),
  defineBetaVariant({
    id: "redelivery-leaves-the-old-record",
    says: "makes a delivery of its own of every redelivery, and changes nothing of the one it is asked of",
    open: ["beta.open.webhook-retries"],
    decoration: { handlers: redeliveringAnew(false) },
    permits: ["not-exercised"],
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
  defineBetaVariant({
    id: "runs-told-of-their-job",
    says: "names the job of a run as what its events are about",
    open: ["beta.open.webhook-form"],
    // Others change what an event is about, too.
    alone: true,
    decoration: {
      parts: ({ deliveryBody }) => ({
        deliveryBody: (world, event) =>
          deliveryBody(
            world,
            event.subjectId === idText(event.run.runId) ? { ...event, subjectId: idText(event.run.jobId) } : event,
          ),
      }),
      handlers: {
        ...aroundBeta(listWebhookDeliveries, (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, webhookDeliveries: reply.webhookDeliveries.map((one) => toldOfJob(context, one)) };
        }),
        ...aroundBeta(redeliverWebhookDelivery, (next) => async (context, request) => {
          const reply = await next(context, request);
          return reply.webhookDelivery === undefined
            ? reply
            : { ...reply, webhookDelivery: toldOfJob(context, reply.webhookDelivery) };
        }),
      },
    },
  }),
];
