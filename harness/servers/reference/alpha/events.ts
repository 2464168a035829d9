import { create, toJson } from "@bufbuild/protobuf";
import {
  type Job,
  JobSchema,
  JobState,
  type WebhookDelivery,
  WebhookDeliverySchema,
  WebhookDeliveryState,
  type WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { DeliveryBook, Destination } from "../core/deliveries.ts";
import { createDeliveryBook, destinationAt } from "../core/delivery-book.ts";
import { idText } from "../core/fields.ts";
import { timestamp } from "../core/times.ts";
import { uuid } from "./messages.ts";
import type { JobEvent } from "./parts.ts";
import type { AlphaWorld } from "./world.ts";

const eventTypes: Partial<Record<JobState, JobEvent["type"]>> = {
  [JobState.SUCCEEDED]: "job.succeeded",
  [JobState.FAILED]: "job.failed",
  [JobState.CANCELED]: "job.canceled",
};

/** Every enabled endpoint of the job's workspace. */
export function subscribers(world: AlphaWorld, job: Job): WebhookEndpoint[] {
  const entries = world.tables.webhook_endpoint.entries(idText(job.workspaceId));
  return entries.filter((entry) => !entry.deleted && entry.record.enabled).map((entry) => entry.record);
}

/** The body as JSON text: type and ids, and the job unless the choice is to leave it out. */
export function deliveryBody(world: AlphaWorld, { type, eventId, job }: JobEvent): string {
  return JSON.stringify({
    type,
    eventId,
    timestamp: new Date(world.clock.now()).toISOString(),
    workspaceId: idText(job.workspaceId),
    jobId: idText(job.id),
    ...(world.choices.deliveryBody === "job" ? { job: toJson(JobSchema, job) } : {}),
  });
}

/** Tells the endpoints of a workspace that a job has ended. */
export function announceJob(world: AlphaWorld, job: Job): void {
  const type = eventTypes[job.state];
  if (type === undefined) return;
  const event: JobEvent = { eventId: world.newId(), type, job };
  for (const endpoint of world.parts.subscribers(world, job)) {
    const id = world.newId();
    world.tables.webhook_delivery.add(
      create(WebhookDeliverySchema, {
        id: uuid(id),
        workspaceId: endpoint.workspaceId,
        endpointId: endpoint.id,
        eventId: uuid(event.eventId),
        jobId: job.id,
        state: WebhookDeliveryState.PENDING,
        nextAttemptAt: timestamp(world.clock.now()),
      }),
    );
    world.deliveryBodies.set(id, world.parts.deliveryBody(world, event));
    world.deliveries.begin(id);
  }
}

/** Gives up what still waits to go to an endpoint. */
export function cancelDeliveries(world: AlphaWorld, endpoint: WebhookEndpoint): void {
  const goesThere = (id: string) =>
    idText(world.tables.webhook_delivery.find(id)?.record.endpointId) === idText(endpoint.id);
  world.deliveries.cancel(goesThere);
}

/** Where a delivery goes: its endpoint's url, while that is there and enabled, signed with all secrets in force. */
export function destination(world: AlphaWorld, delivery: WebhookDelivery): Destination | undefined {
  return destinationAt(world, world.tables.webhook_endpoint, idText(delivery.endpointId));
}

/** Delivery records, as the delivery engine keeps them. */
export function deliveryBook(world: AlphaWorld): DeliveryBook {
  return createDeliveryBook<WebhookDelivery>({
    table: world.tables.webhook_delivery,
    bodies: world.deliveryBodies,
    states: WebhookDeliveryState,
    destination: (delivery) => world.parts.destination(world, delivery),
    fields: (state, { status, nextAttemptMs }) => ({
      nextAttemptAt: nextAttemptMs === undefined ? undefined : timestamp(nextAttemptMs),
      ...(status === undefined ? {} : { lastStatusCode: status }),
      ...(state === WebhookDeliveryState.DELIVERED ? { deliveredAt: timestamp(world.clock.now()) } : {}),
    }),
  });
}
