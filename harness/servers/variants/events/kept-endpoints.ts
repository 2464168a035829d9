import { WebhookDeliveryState as AlphaState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService as AlphaWebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { WebhookDeliveryState as BetaState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { WebhookService as BetaWebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

const kept = {
  id: "endpoints-with-waiting-deliveries-are-kept",
  says: "deletes no endpoint that a delivery waits to go to",
  holds: ["webhook_endpoint"],
} as const;

const refuseWhile = (waiting: boolean) => {
  if (waiting) refuse("FAILED_PRECONDITION", "deliveries wait to go to the endpoint");
};

/** Endpoints that are not deleted in every state: which states permit that is not shown. */
export const keptEndpointVariants: readonly Variant[] = [
  defineAlphaVariant({
    ...kept,
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around(AlphaWebhookService.method.deleteWebhookEndpoint, (next) => (context, request) => {
        const { webhook_delivery: deliveries } = context.world.tables;
        const waiting = deliveries.entries(context.workspaceId, idText(request.endpointId));
        refuseWhile(waiting.some(({ record }) => record.state === AlphaState.PENDING));
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    ...kept,
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(BetaWebhookService.method.deleteWebhookEndpoint, (next) => (context, request) => {
        const { webhook_delivery: deliveries } = context.world.tables;
        const waiting = deliveries.entries(tenantKey(context.tenant), idText(request.webhookEndpointId));
        refuseWhile(waiting.some(({ record }) => record.state === BetaState.PENDING));
        return next(context, request);
      }),
    },
  }),
];
