import { defineCase } from "../../harness/case.ts";
import { Unproven } from "../../harness/context.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import { isSettled } from "../../harness/given/alpha-world.ts";
import { finishedJob, requestsOf, untilRecorded } from "../../harness/given/deliveries.ts";
import { recordIn, versionOf } from "../../harness/given/subject.ts";
import { isDefault, sameJson, showJson } from "../../harness/json.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

export const again = defineCase({
  id: "events/redelivery-reaches-the-receiver",
  says: "a redelivery returns the record of that delivery, and the receiver gets the same event again",
  clauses: ["alpha.webhooks.redelivery", "alpha.webhooks.redelivered", "alpha.webhooks.records"],
  rpc: "alpha.v1.WebhookService/RedeliverWebhookDelivery",
  async run(context) {
    const { run, row, given, call, judge, needs, note, target, until } = context;
    const hook = (await run.receiver()).hook();
    const endpoint = await alphaHome(context).makeEndpoint(hook.url);
    const job = await finishedJob(context);
    const first = await untilRecorded(context, endpoint, job, isSettled);
    if (first === undefined) throw new Unproven("needs a settled delivery of a finished job");
    const { record } = first;
    // Requests that name nothing are told from each other by their number alone.
    const telling = requestsOf(hook, job, record).length > 0;
    const count = () => (telling ? requestsOf(hook, job, record).length : hook.delivered.length);
    const before = count();

    const reply = await call(
      row,
      {
        requestId: given.requestId(),
        ...given.tenant(),
        deliveryId: record.id ?? null,
        expectedResourceVersion: versionOf(record),
      },
      { baseUrl: endpoint.baseUrl },
    );
    needs(reply);
    const returned = recordIn(reply);
    for (const field of ["id", "endpointId", "eventId", "jobId"]) {
      judge(reply).satisfies(
        sameJson(returned[field], record[field]),
        `${showJson(record[field])}, as of the delivery that is sent again`,
        showJson(returned[field]),
        `delivery.${field}`,
      );
    }
    const came = await until(async () => (count() > before ? true : undefined), target.settings.patience.deliveryMs);
    judge(reply, "*.webhooks.redelivered").satisfies(came === true, "another request to the receiver", "none came");
    if (came !== true) return;

    const settled = await untilRecorded(context, endpoint, job, (one) => one.state === delivered);
    judge(reply, "*.webhooks.records", settled === undefined ? [] : [settled.reply]).satisfies(
      settled !== undefined,
      `${delivered} in the end, as the receiver answered 200`,
      "it is not recorded as delivered again",
      "delivery.state",
    );
    if (settled === undefined) return;
    const now = settled.record;
    for (const field of ["id", "eventId"]) {
      judge(settled.reply, "*.webhooks.records").satisfies(
        sameJson(now[field], record[field]),
        `${showJson(record[field])}, the delivery that was sent again`,
        showJson(now[field]),
        `deliveries[].${field}`,
      );
    }
    const counts = Number(now.attemptCount ?? 0) > Number(record.attemptCount ?? 0);
    note("*.open.webhook-retries", counts ? "a redelivery adds to attemptCount" : "a redelivery counts attempts anew");
    if (isDefault(now.deliveredAt)) note("*.open.webhook-retries", "a redelivery clears deliveredAt");
  },
});
