import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { WebhookDeliverySchema, WebhookDeliveryState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { uuid } from "../../reference/alpha/messages.ts";
import { around } from "../../reference/core/decoration.ts";
import type { SignedHeaders } from "../../reference/core/delivery-request.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

/** The headers that sign a body along with the time, as Slack has them, with each secret in force. */
function signedByTime(sentAt: number, body: string | Uint8Array, secrets: readonly string[]): SignedHeaders {
  const macs = secrets.map((secret) => createHmac("sha256", secret).update(`${sentAt}.`).update(body).digest("hex"));
  return { "x-timestamp": String(sentAt), "x-signature": macs.map((mac) => `sha256=${mac}`).join(" ") };
}

/** Deliveries: what is sent, signed and tried again. */
export const webhookVariants: readonly Variant[] = [
  ...defineVariants({
    id: "deliveries-once",
    says: "never tries a delivery again",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliveryPausesMs: [] } },
  }),
  ...defineVariants({
    id: "deliveries-again-late",
    says: "tries a delivery again after an hour",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliveryPausesMs: [3_600_000] } },
  }),
  defineAlphaVariant({
    id: "delivery-of-ids",
    says: "delivers ids alone",
    open: ["alpha.open.webhook-form"],
    decoration: { choices: { deliveryBody: "job id" } },
  }),
  ...defineVariants({
    id: "delivery-of-nothing",
    says: "delivers an empty body, and the event in a header",
    open: ["*.open.webhook-form"],
    decoration: {
      parts: () => ({ deliveryBody: () => "", signDelivery: ({ eventId }) => ({ "x-event": eventId }) }),
    },
  }),
  ...defineVariants({
    id: "empty-delivery-bodies",
    says: "delivers an empty object, signed with its time, and says nowhere what it is about",
    open: ["*.open.webhook-form"],
    decoration: {
      parts: () => ({
        deliveryBody: () => "{}",
        signDelivery: ({ sentAt, body }, secrets) => signedByTime(sentAt, body, secrets),
      }),
    },
  }),
  ...defineVariants({
    id: "gzipped-deliveries",
    says: "delivers compressed bodies, signed as they are sent",
    open: ["*.open.webhook-form"],
    decoration: {
      parts: ({ postDelivery }) => ({
        signDelivery: ({ eventId, sentAt, body }, secrets) => ({
          "x-event": eventId,
          ...signedByTime(sentAt, gzipSync(body), secrets),
        }),
        postDelivery: (post, timeoutMs, signal) => postDelivery({ ...post, coding: "gzip" }, timeoutMs, signal),
      }),
    },
  }),
  ...defineVariants({
    id: "delivery-in-xml",
    says: "delivers XML, with a signature scheme of its own",
    open: ["*.open.webhook-form"],
    decoration: {
      parts: ({ signDelivery }) => ({
        deliveryBody: (_world, { type, eventId }) => `<event type="${type}" id="${eventId}"/>`,
        signDelivery: (post, secrets) => ({
          "x-signature": `sha256=${signDelivery(post, secrets)["webhook-signature"]}`,
        }),
      }),
    },
  }),
  ...defineVariants({
    id: "previous-secret-ends-soon",
    says: "signs with the previous secret for half a second",
    open: ["*.open.webhook-form"],
    decoration: { choices: { rotationOverlapMs: 500 } },
  }),
  defineAlphaVariant({
    id: "deliveries-of-the-start-too",
    says: "tells of a job's start as well as its end",
    open: ["alpha.open.webhook-form"],
    decoration: {
      handlers: around<typeof PublicTestFixtureService.method.runAsync, AlphaWorld>(
        PublicTestFixtureService.method.runAsync,
        (next) => async (context, request) => {
          const reply = await next(context, request);
          const { world } = context;
          const { job } = reply;
          for (const { workspaceId, id: endpointId } of job === undefined ? [] : world.parts.subscribers(world, job)) {
            const id = uuid(world.newId());
            const [eventId, state] = [uuid(world.newId()), WebhookDeliveryState.PENDING];
            world.tables.webhook_delivery.add(
              create(WebhookDeliverySchema, { id, workspaceId, endpointId, eventId, jobId: job?.id, state }),
            );
            world.deliveryBodies.set(id.value, JSON.stringify({ type: "job.created", jobId: idText(job?.id) }));
            world.deliveries.begin(id.value);
          }
          return reply;
        },
      ),
    },
  }),
];
