import { create } from "@bufbuild/protobuf";
import {
  WebhookDeliverySchema,
  WebhookDeliveryState,
  WebhookEndpointSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { checkRedelivery } from "../core/redelivery.ts";
import { refuse } from "../core/refusal.ts";
import { renewSecret } from "../core/signing-secrets.ts";
import { cancelDeliveries } from "./events.ts";
import { pageOfTable } from "./listing.ts";
import { implement, uuid } from "./messages.ts";

export const webhookHandlers = implement(WebhookService, {
  createWebhookEndpoint({ world, tenant }, { url, eventTypes }) {
    const id = world.newId();
    const signingSecret = renewSecret(world, id, 0);
    const webhookEndpoint = world.tables.webhook_endpoint.add(
      create(WebhookEndpointSchema, {
        webhookEndpointId: uuid(id),
        workspaceId: uuid(tenant.workspaceId),
        appId: uuid(tenant.appId),
        url,
        eventTypes,
        enabled: true,
      }),
    );
    return { webhookEndpoint, signingSecret };
  },

  deleteWebhookEndpoint(context) {
    const { world } = context;
    const endpoint = subjectOf(context, WebhookEndpointSchema);
    const id = idText(endpoint.webhookEndpointId);
    const webhookEndpoint = world.tables.webhook_endpoint.remove(id, {}, false);
    world.signingSecrets.delete(id);
    cancelDeliveries(world, endpoint);
    return { webhookEndpoint };
  },

  getWebhookEndpoint: (context) => ({ webhookEndpoint: subjectOf(context, WebhookEndpointSchema) }),

  listWebhookDeliveries(context, { webhookEndpointId, page: requested }) {
    const wanted = idText(webhookEndpointId);
    const { records, page } = pageOfTable(context, requested, context.world.tables.webhook_delivery, {
      owner: wanted,
      filter: wanted,
    });
    return { webhookDeliveries: records, page };
  },

  listWebhookEndpoints(context, request) {
    const { records, page } = pageOfTable(context, request.page, context.world.tables.webhook_endpoint);
    return { webhookEndpoints: records, page };
  },

  redeliverWebhookDelivery(context) {
    const { world } = context;
    const { webhookDeliveryId, state, webhookEndpointId } = subjectOf(context, WebhookDeliverySchema);
    const id = idText(webhookDeliveryId);
    checkRedelivery(world, id, WebhookDeliveryState[state]);
    if (!world.tables.webhook_endpoint.find(idText(webhookEndpointId))?.record.enabled) {
      refuse("FAILED_PRECONDITION", "the endpoint is disabled or deleted");
    }
    const again = { state: WebhookDeliveryState.PENDING, deliveredAt: undefined };
    const webhookDelivery = world.tables.webhook_delivery.change(id, again);
    world.deliveries.begin(id);
    return { webhookDelivery };
  },

  rotateWebhookSecret(context) {
    const { world } = context;
    const id = idText(subjectOf(context, WebhookEndpointSchema).webhookEndpointId);
    const signingSecret = renewSecret(world, id, world.clock.now() + world.choices.rotationOverlapMs);
    return { webhookEndpoint: world.tables.webhook_endpoint.change(id, {}), signingSecret };
  },

  updateWebhookEndpoint(context, { url, eventTypes, enabled }) {
    const { world } = context;
    const current = subjectOf(context, WebhookEndpointSchema);
    const keeps = eventTypes.length === 0 && world.choices.emptyUpdateField === "keep";
    const webhookEndpoint = world.tables.webhook_endpoint.change(idText(current.webhookEndpointId), {
      url: url || current.url,
      eventTypes: keeps ? current.eventTypes : eventTypes,
      enabled,
    });
    if (!enabled) cancelDeliveries(world, webhookEndpoint);
    return { webhookEndpoint };
  },
});
