import type { WebhookEndpoint } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { deleteWebhookEndpoint, getWebhookEndpoint } = WebhookService.method;

/** What is left of what was deleted. */
export const tombstoneVariants: readonly AlphaVariant[] = (() => {
  const deleted = new Map<string, WebhookEndpoint>();
  return [
    defineAlphaVariant({
      id: "deleted-endpoints-are-shown-disabled",
      says: "goes on showing an endpoint that was deleted to who asks for it, disabled, as its record has no mark for it",
      open: ["alpha.open.deleted-form"],
      decoration: {
        handlers: {
          ...around(deleteWebhookEndpoint, (next) => async (context, request) => {
            const id = idText(request.endpointId);
            const endpoint = context.world.tables.webhook_endpoint.find(id)?.record;
            const reply = await next(context, request);
            if (endpoint !== undefined) deleted.set(id, { ...endpoint, enabled: false });
            return reply;
          }),
          ...around(getWebhookEndpoint, (next) => async (context, request) => {
            const endpoint = deleted.get(idText(request.endpointId));
            if (endpoint === undefined || idText(endpoint.workspaceId) !== idText(request.workspaceId))
              return await next(context, request);
            return { $typeName: "alpha.v1.GetWebhookEndpointResponse", endpoint };
          }),
        },
      },
    }),
  ];
})();
