import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Leaves endpoints out of what is delivered that a user of an identity provider made. */
function silentForUsers(): BetaDecoration {
  const silent = new WeakMap<object, Set<string>>();
  return {
    handlers: aroundBeta(WebhookService.method.createWebhookEndpoint, (next) => async (context, request) => {
      const reply = await next(context, request);
      if (principalOf(context).kind !== CredentialKind.IDP_USER) return reply;
      const ids = silent.get(context.world.tables) ?? new Set();
      silent.set(context.world.tables, ids.add(idText(reply.webhookEndpoint?.webhookEndpointId)));
      return reply;
    }),
    parts: ({ subscribers }) => ({
      subscribers: (world, event) =>
        subscribers(world, event).filter(
          ({ webhookEndpointId }) => silent.get(world.tables)?.has(idText(webhookEndpointId)) !== true,
        ),
    }),
  };
}

export const silentCreators: readonly Fault[] = faultsOf("events", "beta.v1", {
  "*.webhooks.delivered": {
    "CreateWebhookEndpoint-silent-for-users": [
      "delivers nothing to endpoints that a user of an identity provider made",
      () => silentForUsers(),
    ],
  },
});
