import type { JsonObject } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { isIn } from "../lifecycle/states.ts";
import { faultsOf } from "../table.ts";
import { inRecords } from "./deliveries.ts";
import { replacingParts } from "./endpoints.ts";

const countOf = (record: JsonObject) => Number(record.attemptCount ?? 0);

const redirectsTaken = replacingParts(({ postDelivery }) => ({
  async postDelivery(post, timeoutMs, signal) {
    const status = await postDelivery(post, timeoutMs, signal);
    return status >= 300 && status < 400 ? 200 : status;
  },
}));

/** Waits for so long at most, and takes silence for success. */
const silenceTaken = (withinMs: number) =>
  replacingParts(({ postDelivery }) => ({
    async postDelivery(post, timeoutMs, signal) {
      const begun = Date.now();
      const status = await postDelivery(post, Math.min(timeoutMs, withinMs), signal);
      return status === 0 && Date.now() - begun >= withinMs ? 200 : status;
    },
  }));

/** What both packages may get wrong about the attempts after the first. */
const laterAttempts = {
  "*.webhooks.records": {
    "ListWebhookDeliveries-taken-later-stays-pending": [
      "goes on showing as pending what a later attempt delivered",
      inRecords((record) =>
        isIn("DELIVERED")(record) && countOf(record) > 1
          ? { ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" }
          : record,
      ),
    ],
    "ListWebhookDeliveries-taken-later-dated-when-made": [
      "dates what a later attempt delivered when the delivery was made",
      inRecords((record) =>
        isIn("DELIVERED")(record) && countOf(record) > 1 ? { ...record, deliveredAt: record.createdAt ?? "" } : record,
      ),
    ],
    "ListWebhookDeliveries-first-attempt-counted-alone": [
      "counts one attempt of a delivery, however many there were",
      inRecords((record) => (countOf(record) > 1 ? { ...record, attemptCount: 1 } : record)),
    ],
    "ListWebhookDeliveries-unanswered-is-delivered": [
      "waits 200 ms for an answer, and takes silence for success",
      silenceTaken(200),
    ],
    "ListWebhookDeliveries-redirected-is-delivered": ["takes a redirection for success", redirectsTaken],
  },
} as const;

export const laterAttemptFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", laterAttempts),
  ...faultsOf("events", "beta.v1", laterAttempts),
];
