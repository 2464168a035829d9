import type { JsonObject } from "@bufbuild/protobuf";
import { type Change, inReply } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { another, drop, without } from "../values.ts";
import { inRecords, ofBoth, secretInHeader } from "./deliveries.ts";
import { replacingParts } from "./endpoints.ts";

/** Takes whatever an endpoint answers for a success. */
const anyAnswerIsSuccess = replacingParts(({ postDelivery }) => ({
  postDelivery: async (post, timeoutMs, signal) => ((await postDelivery(post, timeoutMs, signal)) > 0 ? 200 : 0),
}));

/** The body of every delivery shows the signing secret. */
function secretInBody(): EitherDecoration {
  const secrets = new Map<string, string>();
  return replacingParts(({ signDelivery, postDelivery }) => ({
    signDelivery(post, inForce) {
      secrets.set(post.url, inForce[0] ?? "");
      return signDelivery(post, inForce);
    },
    postDelivery(post, timeoutMs, signal) {
      const body = JSON.stringify({ ...(JSON.parse(post.body) as object), key: secrets.get(post.url) ?? "" });
      return postDelivery({ ...post, body }, timeoutMs, signal);
    },
  }));
}

const inDelivery = (field: string, change: Change) => inReply(`deliveries[].${field}`, change);

export const deliveryFaults: readonly Fault[] = faultsOf("events", "alpha.v1", {
  ...ofBoth,
  "*.webhooks.redelivery": {
    "RedeliverWebhookDelivery-of-another": [
      "a redelivery returns another delivery's record",
      inReply("delivery.id", another),
    ],
    "RedeliverWebhookDelivery-of-another-event": [
      "a redelivery returns a record of another event",
      inReply("delivery.eventId", another),
    ],
    "RedeliverWebhookDelivery-of-no-job": [
      "a redelivery returns a record without its job",
      inReply("delivery.jobId", drop),
    ],
  },
  "*.webhooks.links": {
    "ListWebhookDeliveries-wrong-job": ["deliveries name another job", inDelivery("jobId", another)],
    "ListWebhookDeliveries-no-job": ["deliveries name no job", inDelivery("jobId", drop)],
    "ListWebhookDeliveries-no-event": ["deliveries name no event", inDelivery("eventId", drop)],
    "ListWebhookDeliveries-no-event-once-sent-again": [
      "deliveries that were sent more than once name no event",
      inReply("deliveries", (all) =>
        (all as JsonObject[]).map((one) => (Number(one.attemptCount ?? 0) > 1 ? { ...one, eventId: null } : one)),
      ),
    ],
    "ListWebhookDeliveries-no-endpoint": ["deliveries name no endpoint", inDelivery("endpointId", drop)],
  },
  "*.webhooks.records": {
    ...ofBoth["*.webhooks.records"],
    "ListWebhookDeliveries-one-event-for-all": [
      "all deliveries name one event, whatever they are about",
      inDelivery("eventId", () => ({ value: "01890000-0000-7000-8000-000000000001" })),
    ],
    "ListWebhookDeliveries-any-answer-is-success": ["any answer is taken for a success", anyAnswerIsSuccess],
    "ListWebhookDeliveries-wrong-status": [
      "deliveries show another status than was answered",
      inRecords((record) => (record.lastStatusCode === 200 ? { ...record, lastStatusCode: 204 } : record)),
    ],
    "ListWebhookDeliveries-failure-without-status": [
      "deliveries show no status but 200",
      inRecords((record) => (record.lastStatusCode === 200 ? record : without(record, "lastStatusCode"))),
    ],
  },
  "*.webhooks.secret-elsewhere": {
    ...ofBoth["*.webhooks.secret-elsewhere"],
    "CreateWebhookEndpoint-secret-in-header-as-hex": [
      "deliveries carry the signing secret in a header, as hexadecimal",
      secretInHeader("x-webhook-key", (secrets) => Buffer.from(secrets[0] ?? "").toString("hex")),
    ],
    "CreateWebhookEndpoint-secret-in-body": ["deliveries carry the signing secret in their body", secretInBody()],
  },
});
