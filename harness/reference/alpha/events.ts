import { create, toJson } from "@bufbuild/protobuf";
import {
  type Job,
  JobSchema,
  JobState,
  type WebhookDelivery,
  WebhookDeliverySchema,
  WebhookDeliveryState,
  type WebhookEndpoint,
} from "../../../proto/gen/alpha/v1/resources_pb.js";
import type { DeliveryBook, Destination } from "../core/deliveries.ts";
import { idText } from "../core/fields.ts";
import { signingSecretsOf } from "../core/signing-secrets.ts";
import { timestamp } from "../core/times.ts";
import { uuid } from "./messages.ts";
import type { AlphaWorld } from "./world.ts";

/** A job came to its end. */
export interface JobEvent {
  readonly eventId: string;
  readonly type: "job.succeeded" | "job.failed" | "job.canceled";
  readonly job: Job;
}

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
  for (const { record } of world.tables.webhook_delivery.entries(idText(endpoint.workspaceId))) {
    if (idText(record.endpointId) === idText(endpoint.id)) world.deliveries.cancel(idText(record.id));
  }
}

/** Where a delivery goes: its endpoint's url, while that is there and enabled, signed with all secrets in force. */
export function destination(world: AlphaWorld, delivery: WebhookDelivery): Destination | undefined {
  const endpointId = idText(delivery.endpointId);
  const entry = world.tables.webhook_endpoint.find(endpointId);
  if (entry === undefined || entry.deleted || !entry.record.enabled) return undefined;
  return { url: entry.record.url, secrets: signingSecretsOf(world, endpointId) };
}

/** Delivery records, as the delivery engine keeps them. */
export function createDeliveryBook(world: AlphaWorld): DeliveryBook {
  const table = world.tables.webhook_delivery;
  const change = (id: string, fields: Partial<WebhookDelivery>) =>
    void table.change(id, { nextAttemptAt: undefined, ...fields });
  const now = () => timestamp(world.clock.now());
  const { DELIVERED, PENDING, FAILED, CANCELED } = WebhookDeliveryState;
  return {
    pending(id) {
      const record = table.find(id)?.record;
      if (record?.state !== PENDING) return undefined;
      const body = world.deliveryBodies.get(id) ?? "";
      return { id, eventId: idText(record.eventId), body, attemptCount: record.attemptCount };
    },
    destination: (id) => world.parts.destination(world, table.get(id)),
    delivered: (id, attemptCount, lastStatusCode) =>
      change(id, { state: DELIVERED, attemptCount, lastStatusCode, deliveredAt: now() }),
    postponed: (id, attemptCount, lastStatusCode, nextAttemptMs) =>
      change(id, { attemptCount, lastStatusCode, nextAttemptAt: timestamp(nextAttemptMs) }),
    failed: (id, attemptCount, lastStatusCode) => change(id, { state: FAILED, attemptCount, lastStatusCode }),
    canceled: (id) => change(id, { state: CANCELED }),
  };
}
