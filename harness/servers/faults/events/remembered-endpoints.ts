import type { WebhookEndpoint } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta } from "../../reference/main.ts";

/** Endpoints as they were made, by id, whatever became of them. */
export function rememberingEndpoints() {
  const made = new Map<string, WebhookEndpoint>();
  return {
    made,
    handlers: aroundBeta(WebhookService.method.createWebhookEndpoint, (next) => async (context, request) => {
      const reply = await next(context, request);
      const { webhookEndpoint } = reply;
      if (webhookEndpoint !== undefined) made.set(idText(webhookEndpoint.webhookEndpointId), webhookEndpoint);
      return reply;
    }),
  };
}
