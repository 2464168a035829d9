import { defineCase } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { eventTypes } from "../../harness/setup/beta/event-types.ts";
import { cancelRun, startRun } from "../../harness/setup/beta/run.ts";
import { listDeliveriesOf, namesWork } from "../../harness/setup/delivery-record.ts";
import { createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { settle } from "../../harness/setup/work.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { judgeNotDelivered, subscribe, untilDelivered } from "./event-types.ts";

export const canceled = defineCase({
  id: "events/cancellation-is-delivered-to-subscribers-only",
  says: "the states of a run that is canceled are delivered to an endpoint that subscribes to changes of state, and not to one of the other types, which is not told that it failed",
  clauses: ["beta.webhooks.event-types", "beta.webhooks.delivered"],
  rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
  async run(context) {
    const { judge, needs } = context;
    const type = "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED";
    const hook = await openHook(context);
    const [subscriber, { reply: created, endpoint }] = await Promise.all([
      subscribe(context, [type]),
      createEndpoint(context, hook.url, { eventTypes: eventTypes.filter((one) => one !== type) }),
    ]);
    const other = await enable(context, endpoint);
    const run = await startRun(context, "slow");
    const reply = await cancelRun(context, run);
    if (reply === undefined) throw new Unproven("needs a cancellation that is accepted");
    needs(reply);
    const ended = await settle(context, run);
    const about = [run.id, run.record.jobId ?? null];
    const { record, records } = await untilDelivered(context, subscriber, about);
    const arrived = judge(created, "*.webhooks.delivered").satisfies(
      record !== undefined,
      `a delivery of ${type}`,
      `${records.length} deliveries, none about it`,
    );
    if (!arrived || record === undefined) return;
    await judgeNotDelivered(context, { hook, endpoint: other }, type, record, created);
    if (textAt(ended.record, "state") !== "RUN_STATE_CANCELED") return;
    // That it is called completed as well is no contradiction.
    const told = await listDeliveriesOf(context, other);
    const untrue = told.records.find(
      (one) => namesWork(one.subjectId, run) && /_RUN_(FAILED|OUTCOME_UNKNOWN)$/.test(textAt(one, "eventType")),
    );
    judge(created, "*.webhooks.event-types", told.replies.slice(-1)).satisfies(
      untrue === undefined,
      "no event of another end, as the run is RUN_STATE_CANCELED",
      showJson(untrue ?? null),
    );
  },
});
