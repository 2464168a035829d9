import { create, toJson } from "@bufbuild/protobuf";
import {
  type Approval,
  type Run,
  RunSchema,
  RunState,
  type WebhookDelivery,
  WebhookDeliverySchema,
  WebhookDeliveryState,
  type WebhookEndpoint,
  WebhookEventType,
  WebhookEventTypeSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../core/context.ts";
import type { DeliveryBook, Destination } from "../core/deliveries.ts";
import { createDeliveryBook, destinationAt } from "../core/delivery-book.ts";
import { idText } from "../core/fields.ts";
import { timestamp } from "../core/times.ts";
import { uuid } from "./messages.ts";
import type { WebhookEvent } from "./parts.ts";
import type { BetaWorld } from "./world.ts";

/** Version of the form of every event. */
export const eventVersion = 1;

const endings: Partial<Record<RunState, WebhookEventType>> = {
  [RunState.SUCCEEDED]: WebhookEventType.RUN_COMPLETED,
  [RunState.FAILED]: WebhookEventType.RUN_FAILED,
  [RunState.OUTCOME_UNKNOWN]: WebhookEventType.RUN_OUTCOME_UNKNOWN,
};

function endpointsOf(world: BetaWorld, { workspaceId, appId }: Run | WebhookEndpoint): WebhookEndpoint[] {
  const app = { workspaceId: idText(workspaceId), appId: idText(appId), customerUserId: "" };
  const entries = world.tables.webhook_endpoint.entries(tenantKey(app));
  return entries.filter((entry) => !entry.deleted).map((entry) => entry.record);
}

/** The enabled endpoints of the run's app that want events of this type. */
export function subscribers(world: BetaWorld, { type, run }: WebhookEvent): WebhookEndpoint[] {
  const everything = world.choices.emptyEventTypes === "everything";
  return endpointsOf(world, run).filter(
    ({ enabled, eventTypes }) => enabled && (eventTypes.includes(type) || (everything && eventTypes.length === 0)),
  );
}

/** The body as JSON text: type and ids, and the run unless the choice is to leave it out. */
export function deliveryBody(world: BetaWorld, { type, eventId, subjectId, run }: WebhookEvent): string {
  return JSON.stringify({
    type: WebhookEventTypeSchema.value[type]?.name,
    eventId,
    eventVersion,
    timestamp: new Date(world.clock.now()).toISOString(),
    workspaceId: idText(run.workspaceId),
    appId: idText(run.appId),
    subjectId,
    ...(world.choices.deliveryBody === "run" ? { run: toJson(RunSchema, run) } : {}),
  });
}

/** The id of the event that told of a run as it is, by the run: records are never changed in place. */
const eventIds = new WeakMap<Run, string>();

/** The id of what is told of a run. */
function eventIdOf(world: BetaWorld, run: Run): string {
  if (world.choices.eventIds === "each type") return world.newId();
  const id = eventIds.get(run) ?? world.newId();
  eventIds.set(run, id);
  return id;
}

function announce(world: BetaWorld, run: Run, type: WebhookEventType, subjectId: string): void {
  const event: WebhookEvent = { eventId: eventIdOf(world, run), type, subjectId, run };
  for (const endpoint of world.parts.subscribers(world, event)) {
    const id = world.newId();
    world.tables.webhook_delivery.add(
      create(WebhookDeliverySchema, {
        webhookDeliveryId: uuid(id),
        workspaceId: endpoint.workspaceId,
        appId: endpoint.appId,
        webhookEndpointId: endpoint.webhookEndpointId,
        eventType: type,
        subjectId: uuid(subjectId),
        state: WebhookDeliveryState.PENDING,
        eventId: uuid(event.eventId),
        eventVersion,
      }),
    );
    world.deliveryBodies.set(id, world.parts.deliveryBody(world, event));
    world.deliveries.begin(id);
  }
}

/** Tells the app's endpoints of the state a run has come to. */
export function announceRun(world: BetaWorld, run: Run): void {
  announce(world, run, WebhookEventType.RUN_STATE_CHANGED, idText(run.runId));
  const ending = endings[run.state];
  if (ending !== undefined) announce(world, run, ending, idText(run.runId));
}

/** Tells the app's endpoints that an approval waits for its decision. */
export function announceApproval(world: BetaWorld, run: Run, approval: Approval): void {
  announce(world, run, WebhookEventType.APPROVAL_REQUIRED, idText(approval.approvalId));
}

/** Gives up what still waits to go to an endpoint. */
export function cancelDeliveries(world: BetaWorld, endpoint: WebhookEndpoint): void {
  const goesThere = (id: string) =>
    idText(world.tables.webhook_delivery.find(id)?.record.webhookEndpointId) === idText(endpoint.webhookEndpointId);
  world.deliveries.cancel(goesThere);
}

/** Where a delivery goes: its endpoint's url, while that is there and enabled, signed with all secrets in force. */
export function destination(world: BetaWorld, delivery: WebhookDelivery): Destination | undefined {
  return destinationAt(world, world.tables.webhook_endpoint, idText(delivery.webhookEndpointId));
}

/** Delivery records, as the delivery engine keeps them. */
export function deliveryBook(world: BetaWorld): DeliveryBook {
  return createDeliveryBook<WebhookDelivery>({
    table: world.tables.webhook_delivery,
    bodies: world.deliveryBodies,
    states: WebhookDeliveryState,
    destination: (delivery) => world.parts.destination(world, delivery),
    fields: (state) => (state === WebhookDeliveryState.DELIVERED ? { deliveredAt: timestamp(world.clock.now()) } : {}),
  });
}
