import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { around } from "../../reference/main.ts";
import { defineFault } from "../fault.ts";

export const byUrl = defineFault({
  id: "events/ListWebhookDeliveries-looks-up-by-url",
  says: "lists the deliveries of the first endpoint that has the url of the one that is named",
  breaks: "*.filters.hold",
  also: ["*.paging.traversal", "*.webhooks.delivered", "*.filters.complete"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  decoration: {
    handlers: around(WebhookService.method.listWebhookDeliveries, (next) => (context, request) => {
      const endpoints = context.world.tables.webhook_endpoint.entries(context.workspaceId).map(({ record }) => record);
      const named = endpoints.find(({ id }) => idText(id) === idText(request.endpointId));
      const first = endpoints.find(({ url }) => url === named?.url);
      return next(context, first === undefined ? request : { ...request, endpointId: first.id });
    }),
  },
});
