import type { JsonObject } from "@bufbuild/protobuf";
import { defineFault } from "../fault.ts";
import { textIn } from "../values.ts";

/** Jobs that were canceled. */
const canceled = new Set<string>();

export const mislinksCanceled = defineFault({
  id: "events/ListWebhookDeliveries-wrong-job-once-canceled",
  says: "deliveries about canceled jobs name their event where their job belongs",
  breaks: "*.webhooks.links",
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  decoration: {
    reply: (json: JsonObject, call) => {
      if (call.row.method === "CancelJob") canceled.add(textIn(json, "job.id.value"));
      if (call.row.method !== "ListWebhookDeliveries" || !Array.isArray(json.deliveries)) return json;
      const deliveries = (json.deliveries as JsonObject[]).map((one) =>
        canceled.has(textIn(one, "jobId.value")) ? { ...one, jobId: one.eventId ?? null } : one,
      );
      return { ...json, deliveries };
    },
  },
});
