import { type WebhookDelivery, WebhookDeliveryState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { workspaceOf } from "../../reference/core/subject.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { faultsOf } from "../table.ts";

const { FAILED, PENDING } = WebhookDeliveryState;

/** Whether a delivery, of whichever workspace, is listed by an id. */
type IsListed = (delivery: WebhookDelivery, id: string, world: AlphaWorld) => boolean;

/** Lists some deliveries more than those of the endpoint that is named; whose they are is asked `near` alone. */
const listing = (isListed: IsListed, near: "in its workspace" | "anywhere" = "anywhere"): AlphaDecoration => ({
  handlers: around(WebhookService.method.listWebhookDeliveries, (next) => async (context, request) => {
    const { world, workspaceId } = context as typeof context & { readonly world: AlphaWorld };
    const reply = await next(context, request);
    const all = [...workspacesOf(world)].flatMap((id) =>
      world.tables.webhook_delivery.entries(id).map(({ record }) => record),
    );
    const shown = new Set(reply.deliveries.map(({ id }) => idText(id)));
    const more = all.filter(
      (one) =>
        !shown.has(idText(one.id)) &&
        (near === "anywhere" || workspaceOf(one) === workspaceId) &&
        isListed(one, idText(request.endpointId), world),
    );
    return { ...reply, deliveries: [...reply.deliveries, ...more] };
  }),
});

const isTo = ({ endpointId }: WebhookDelivery, id: string) => idText(endpointId) === id;

/** Deliveries that are looked up without their workspace, or by another id than their endpoint's. */
export const deliveriesLookedUp: readonly Fault[] = faultsOf("isolation", "alpha.v1", {
  "*.isolation.list": {
    "ListWebhookDeliveries-of-any-deleted-endpoint": [
      "lists the deliveries of an endpoint that was deleted, whosever it was",
      listing((one, id, { tables }) => isTo(one, id) && tables.webhook_endpoint.find(id) === undefined),
    ],
    "ListWebhookDeliveries-given-up-of-any-endpoint": [
      "lists the deliveries that were given up, whosever endpoint is named",
      listing((one, id) => isTo(one, id) && one.state === FAILED),
    ],
    "ListWebhookDeliveries-pending-of-any-endpoint": [
      "lists the deliveries that are to be tried again, whosever endpoint is named",
      listing((one, id) => isTo(one, id) && one.state === PENDING),
    ],
    "ListWebhookDeliveries-of-any-job": [
      "lists the deliveries about a job, whosever it is, where that is named",
      listing(({ jobId }, id) => idText(jobId) === id),
    ],
    "ListWebhookDeliveries-of-any-event": [
      "lists the deliveries of an event, whosever it is, where that is named",
      listing(({ eventId }, id) => idText(eventId) === id),
    ],
    "ListWebhookDeliveries-by-any-id": [
      "lists a delivery, whosever it is, where that is named",
      listing((one, id) => idText(one.id) === id),
    ],
  },
  "*.filters.hold": {
    "ListWebhookDeliveries-of-a-job": [
      "lists the deliveries about a job of its workspace where that is named",
      listing(({ jobId }, id) => idText(jobId) === id, "in its workspace"),
    ],
  },
});
