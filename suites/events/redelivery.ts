import { defineRule } from "../../harness/case/case.ts";
import { deliveryFields, endpointField, untilRecorded } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { redeliveryRequest, settledDelivery } from "../../harness/setup/webhook-delivery.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import { Change } from "../../proto/rpcs.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

export const again = defineRule({
  id: "events/redelivery-reaches-the-receiver",
  says: "a redelivery returns the record of that delivery, and the receiver gets the same event again",
  clauses: ["*.webhooks.redelivery", "*.webhooks.redelivered", "*.webhooks.records"],
  rows: ({ change }) => change === Change.REDELIVERS,
  async run(context) {
    const { row, call, judge, needs, observe } = context;
    const { hook, endpoint, work, record } = await settledDelivery(context);
    // Requests that name nothing can only be counted.
    const named = requestsOf(context, hook, work, record).length > 0;
    const count = () => (named ? requestsOf(context, hook, work, record).length : hook.delivered.length);
    const before = count();

    const request = await redeliveryRequest(context, record, versionOf(record));
    const reply = await call(row, request, { baseUrl: endpoint.baseUrl });
    needs(reply);
    const returned = recordIn(reply);
    const { id, about, names } = deliveryFields(context);
    const linked = [id, about, endpointField(context), "eventId", "eventType", "eventVersion"];
    for (const field of linked.filter((one) => names.includes(one))) {
      judge(reply).satisfies(
        sameJson(returned[field], record[field]),
        `${showJson(record[field])}, as of the delivery that is sent again`,
        showJson(returned[field]),
        `${row.record?.name}.${field}`,
      );
    }
    const came = await pollForDelivery(context, async () => (count() > before ? true : undefined));
    judge(reply, "*.webhooks.redelivered").satisfies(came === true, "another request to the receiver", "none came");
    if (came !== true) return;

    const settled = await untilRecorded(context, endpoint, work, (one) => one.state === delivered);
    judge(reply, "*.webhooks.records", settled === undefined ? [] : [settled.reply]).satisfies(
      settled !== undefined,
      `${delivered} in the end, as the receiver answered 200`,
      "it does not become delivered again",
      `${row.record?.name}.state`,
    );
    if (settled === undefined) return;
    const now = settled.record;
    for (const field of [id, "eventId"]) {
      judge(settled.reply, "*.webhooks.records").satisfies(
        sameJson(now[field], record[field]),
        `${showJson(record[field])}, the delivery that was sent again`,
        showJson(now[field]),
        `${deliveryFields(context).list}[].${field}`,
      );
    }
    const counts = Number(now.attemptCount ?? 0) > Number(record.attemptCount ?? 0);
    observe(
      "*.open.webhook-retries",
      counts ? "a redelivery adds to attemptCount" : "a redelivery counts attempts anew",
    );
    if (isDefault(now.deliveredAt)) observe("*.open.webhook-retries", "a redelivery clears deliveredAt");
  },
});
