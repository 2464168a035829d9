import { create } from "@bufbuild/protobuf";
import {
  WebhookDeliverySchema,
  WebhookDeliveryState,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOf } from "../core/paging.ts";
import { checkRedelivery } from "../core/redelivery.ts";
import { refuse } from "../core/refusal.ts";
import { renewSecret } from "../core/signing-secrets.ts";
import { timestamp } from "../core/times.ts";
import { cancelDeliveries } from "./events.ts";
import { implement, uuid } from "./messages.ts";

export const webhookHandlers = implement(WebhookService, {
  createWebhookEndpoint({ world, workspaceId }, { name, url }) {
    const id = world.newId();
    const secret = renewSecret(world, id, 0);
    const fields = { id: uuid(id), workspaceId: uuid(workspaceId), name, url, enabled: true };
    const endpoint = world.tables.webhook_endpoint.add(create(WebhookEndpointSchema, fields));
    return { endpoint, signingSecret: secret };
  },

  deleteWebhookEndpoint(context) {
    const { world } = context;
    const endpoint = subjectOf(context, WebhookEndpointSchema);
    world.tables.webhook_endpoint.remove(idText(endpoint.id));
    world.signingSecrets.delete(idText(endpoint.id));
    cancelDeliveries(world, endpoint);
    return { endpointId: endpoint.id };
  },

  getWebhookEndpoint: (context) => ({ endpoint: subjectOf(context, WebhookEndpointSchema) }),

  listWebhookDeliveries(context, { endpointId, page: requested }) {
    const wanted = idText(endpointId);
    const { records, page } = pageOf(
      context,
      requested,
      (workspaceId) => context.world.tables.webhook_delivery.entries(workspaceId, wanted),
      wanted,
    );
    return { deliveries: records, page };
  },

  listWebhookEndpoints(context, request) {
    const { records, page } = pageOf(context, request.page, (workspaceId) =>
      context.world.tables.webhook_endpoint.entries(workspaceId),
    );
    return { endpoints: records, page };
  },

  redeliverWebhookDelivery(context) {
    const { world } = context;
    const { id: deliveryId, state, endpointId } = subjectOf(context, WebhookDeliverySchema);
    const id = idText(deliveryId);
    checkRedelivery(world, id, WebhookDeliveryState[state]);
    if (!world.tables.webhook_endpoint.find(idText(endpointId))?.record.enabled) {
      refuse("FAILED_PRECONDITION", "the endpoint is disabled or deleted");
    }
    const delivery = world.tables.webhook_delivery.change(id, {
      state: WebhookDeliveryState.PENDING,
      nextAttemptAt: timestamp(world.clock.now()),
      deliveredAt: undefined,
    });
    world.deliveries.begin(id);
    return { delivery };
  },

  rotateWebhookSecret(context) {
    const { world } = context;
    const id = idText(subjectOf(context, WebhookEndpointSchema).id);
    const until = world.clock.now() + world.choices.rotationOverlapMs;
    const secret = renewSecret(world, id, until);
    const endpoint = world.tables.webhook_endpoint.change(id, {});
    return { endpoint, signingSecret: secret, previousSecretExpiresAt: timestamp(until) };
  },

  updateWebhookEndpoint(context, { name, url, enabled }) {
    const { world } = context;
    const current = subjectOf(context, WebhookEndpointSchema);
    const fields: Partial<WebhookEndpoint> = { name: name || current.name, url: url || current.url, enabled };
    const endpoint = world.tables.webhook_endpoint.change(idText(current.id), fields);
    if (!enabled) cancelDeliveries(world, endpoint);
    return { endpoint };
  },
});
