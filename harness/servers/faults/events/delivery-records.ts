import type { JsonObject } from "@bufbuild/protobuf";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const list = "alpha.v1.WebhookService/ListWebhookDeliveries";
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

/** Delivery records that are wrong in themselves. */
function recorded(edit: (record: JsonObject) => JsonObject): AlphaDecoration {
  return changedReply(list, "deliveries[]", (record) => edit(record as JsonObject));
}

const without = (record: JsonObject, field: string): JsonObject => {
  const { [field]: _, ...others } = record;
  return others;
};

const attempted = (record: JsonObject) => record.attemptCount !== undefined;

type Row = readonly [id: string, breaks: string, says: string, decoration: AlphaDecoration];

const rows: readonly Row[] = [
  [
    "wrong-job",
    "alpha.webhooks.links",
    "deliveries name another job",
    changedReply(list, "deliveries[].jobId", () => noId),
  ],
  [
    "no-job",
    "alpha.webhooks.links",
    "deliveries name no job",
    changedReply(list, "deliveries[].jobId", () => undefined),
  ],
  [
    "no-event",
    "alpha.webhooks.links",
    "deliveries name no event",
    changedReply(list, "deliveries[].eventId", () => undefined),
  ],
  [
    "no-endpoint",
    "alpha.webhooks.links",
    "deliveries name no endpoint",
    changedReply(list, "deliveries[].endpointId", () => undefined),
  ],
  [
    "failure-recorded-as-success",
    "alpha.webhooks.records",
    "every attempt is recorded as delivered",
    recorded((record) => (attempted(record) ? { ...record, state: "WEBHOOK_DELIVERY_STATE_DELIVERED" } : record)),
  ],
  [
    "any-answer-is-success",
    "alpha.webhooks.records",
    "any answer is taken for a success",
    {
      parts: ({ postDelivery }) => ({
        postDelivery: async (post, timeoutMs, signal) => ((await postDelivery(post, timeoutMs, signal)) > 0 ? 200 : 0),
      }),
    },
  ],
  [
    "sent-is-delivered",
    "alpha.webhooks.records",
    "a delivery is recorded as delivered before it was answered",
    {
      parts: ({ postDelivery }) => ({
        postDelivery: (post, timeoutMs, signal) => {
          void postDelivery(post, timeoutMs, signal);
          return Promise.resolve(200);
        },
      }),
    },
  ],
  [
    "attempts-miscounted",
    "alpha.webhooks.records",
    "deliveries count an attempt too many",
    recorded((record) => (attempted(record) ? { ...record, attemptCount: Number(record.attemptCount) + 1 } : record)),
  ],
  [
    "attempts-uncounted",
    "alpha.webhooks.records",
    "deliveries do not count attempts",
    recorded((record) => without(record, "attemptCount")),
  ],
  [
    "wrong-status",
    "alpha.webhooks.records",
    "deliveries show another status than was answered",
    recorded((record) => (record.lastStatusCode === 200 ? { ...record, lastStatusCode: 204 } : record)),
  ],
  [
    "failure-without-status",
    "alpha.webhooks.records",
    "deliveries show no status but 200",
    recorded((record) => (record.lastStatusCode === 200 ? record : without(record, "lastStatusCode"))),
  ],
  [
    "undated",
    "alpha.webhooks.records",
    "deliveries do not say when they were delivered",
    recorded((record) => without(record, "deliveredAt")),
  ],
  [
    "forever-pending",
    "alpha.webhooks.records",
    "deliveries stay pending though they arrived",
    recorded((record) => without({ ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" }, "deliveredAt")),
  ],
];

export const deliveryRecordFaults: readonly Fault[] = rows.map(([id, breaks, says, decoration]) =>
  defineFault({ id: `events/deliveries-${id}`, says, breaks, rpc: list, decoration }),
);
