import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { cancelDeliveries } from "../../reference/alpha/events.ts";
import type { AlphaContext } from "../../reference/alpha/world.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { faultsOf } from "../table.ts";

/** Gives up what waits to go to any endpoint of some workspaces: which endpoint was meant is not asked. */
function cancelAll({ world, workspaceId }: AlphaContext, where: "here" | "elsewhere"): void {
  for (const other of workspacesOf(world)) {
    if ((other === workspaceId) !== (where === "here")) continue;
    for (const { record } of world.tables.webhook_endpoint.entries(other)) cancelDeliveries(world, record);
  }
}

const deleting = (where: "here" | "elsewhere"): AlphaDecoration => ({
  handlers: around(WebhookService.method.deleteWebhookEndpoint, (next) => async (context, request) => {
    const reply = await next(context, request);
    cancelAll(context as unknown as AlphaContext, where);
    return reply;
  }),
});

const disabling = (where: "here" | "elsewhere"): AlphaDecoration => ({
  handlers: around(WebhookService.method.updateWebhookEndpoint, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (!request.enabled) cancelAll(context as unknown as AlphaContext, where);
    return reply;
  }),
});

/** What waits to go to an endpoint, taken along by the end of another. */
export const othersDeliveries: readonly Fault[] = faultsOf("events", "alpha.v1", {
  "*.webhooks.delivered": {
    "DeleteWebhookEndpoint-cancels-what-waits-for-others": [
      "cancels what waits to go to any endpoint of the workspace",
      deleting("here"),
    ],
    "UpdateWebhookEndpoint-cancels-what-waits-for-others": [
      "cancels what waits to go to any endpoint of the workspace where it disables one",
      disabling("here"),
    ],
  },
  "*.isolation.mutate": {
    "DeleteWebhookEndpoint-cancels-what-waits-elsewhere": [
      "cancels what waits to go to the endpoints of other workspaces",
      deleting("elsewhere"),
    ],
    "UpdateWebhookEndpoint-cancels-what-waits-elsewhere": [
      "cancels what waits to go to the endpoints of other workspaces where it disables one",
      disabling("elsewhere"),
    ],
  },
});
