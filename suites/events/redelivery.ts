import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { pageNaming } from "../../harness/oracles/records.ts";
import { deliveryFields, endpointField, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { redeliverableDelivery, redelivered } from "../../harness/setup/redeliverable.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { isAnonymous, requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { redeliveryRequest } from "../../harness/setup/webhook-delivery.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change } from "../../proto/rpcs.ts";
import { judgeDated, judgeSecond } from "./second-redelivery.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

export const again = defineRule({
  id: "events/redelivery-reaches-the-receiver",
  says: "a redelivery returns the record of a delivery of the same event, and the receiver gets that event again",
  // In what is sent again the invariants look for secrets.
  clauses: [
    "*.webhooks.redelivery",
    "*.webhooks.redelivered",
    "*.webhooks.records",
    "*.webhooks.links",
    "*.webhooks.secret-elsewhere",
  ],
  rows: ({ change }) => change === Change.REDELIVERS,
  async run(context) {
    const { row, call, judge, needs, observe } = context;
    const { hook, endpoint, work, record } = await redeliverableDelivery(context);
    if ((await redelivered(context)) !== "delivered")
      observe("*.open.transitions", "what was delivered is not sent again");
    // Requests that name nothing can only be counted.
    const named = requestsOf(context, hook, work, record).length > 0;
    const count = () => (named ? requestsOf(context, hook, work, record).length : hook.delivered.length);
    const [before, all] = [count(), hook.delivered.length];
    const cameAnonymously = () => hook.delivered.slice(all).some(isAnonymous);

    const request = await redeliveryRequest(context, record, versionOf(record));
    const reply = await call(row, request, { baseUrl: endpoint.baseUrl });
    needs(reply);
    const returned = recordIn(reply);
    const { id, about, names, list } = deliveryFields(context);
    // Whether a redelivery is a record of its own, of the same event, is not shown.
    const isNew = !sameJson(returned[id], record[id]);
    if (isNew) observe("*.open.webhook-retries", "a redelivery is a delivery of its own, of the same event");
    const linked = [about, endpointField(context), "eventId", "eventType", "eventVersion"];
    for (const field of linked.filter((one) => names.includes(one))) {
      judge(reply).satisfies(
        sameJson(returned[field], record[field]),
        `${showJson(record[field])}, as of the delivery that is sent again`,
        showJson(returned[field]),
        `${row.record?.name}.${field}`,
      );
    }
    const came = await pollForDelivery(context, async () => (count() > before || cameAnonymously() ? true : undefined));
    judge(reply, "*.webhooks.redelivered").satisfies(came === true, "another request to the receiver", "none came");

    let last: Reply | undefined;
    let now: JsonObject | undefined;
    await pollForDelivery(context, async () => {
      const { records, replies } = await listDeliveriesOf(context, endpoint);
      now = records.find((one) => sameJson(one[id], returned[id]));
      last = pageNaming(replies, returned[id]);
      // When it was delivered may be told a moment later.
      return now?.state === delivered && !isDefault(now.deliveredAt) ? true : undefined;
    });
    const settled = now?.state === delivered;
    const related = last === undefined ? [] : [last];
    judge(reply, undefined, related).satisfies(
      now !== undefined,
      "a delivery that is listed for its endpoint",
      `no page shows ${showJson(returned[id])}`,
      `${row.record?.name}.${id}`,
    );
    if (now === undefined || last === undefined || came !== true) return;
    judge(reply, "*.webhooks.records", related).satisfies(
      settled,
      `${delivered} in the end, as the receiver answered 200`,
      "it does not become delivered again",
      `${row.record?.name}.state`,
    );
    judge(last, "*.webhooks.records").satisfies(
      sameJson(now.eventId, record.eventId),
      `${showJson(record.eventId)}, the event that was sent again`,
      showJson(now.eventId),
      `${list}[].eventId`,
    );
    judge(last, "*.webhooks.links").satisfies(
      !isDefault(now.eventId),
      "the id of an event, whatever became of its delivery",
      showJson(now.eventId),
      `${list}[].eventId`,
    );
    const counts = Number(now.attemptCount ?? 0) > Number(record.attemptCount ?? 0);
    observe(
      "*.open.webhook-retries",
      counts ? "a redelivery adds to attemptCount" : "a redelivery counts attempts anew",
    );
    if (!settled) return;
    judgeDated(context, reply, record, { now, related, at: `${list}[]` });
    if (named && !cameAnonymously())
      await judgeSecond(context, endpoint, { hook, work, record, came: before }, isNew ? record : now);
  },
});
