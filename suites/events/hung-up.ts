import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, deliveryOf } from "../../harness/setup/delivery-record.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { isDefault, showJson } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { listsDeliveries } from "./deliveries.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

export const hungUp = defineRule({
  id: "events/hung-up-attempt-is-not-recorded-as-delivered",
  says: "a delivery is not recorded as delivered where the receiver hung up on each attempt instead of answering",
  clauses: ["*.webhooks.records"],
  rows: listsDeliveries,
  async run(context) {
    const { judge, poll, target } = context;
    const hook = await openHook(context, { status: 0 });
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const work = await finishedWork(context);
    const isAttempted = ({ attemptCount }: JsonObject) => !isDefault(attemptCount) && hook.delivered.length > 0;
    const attempted = await untilRecorded(context, hook, endpoint, work, isAttempted);
    if (attempted === undefined) throw new Unproven("needs a delivery that is attempted");
    let last = attempted;
    // An attempt may be counted as it begins: what it came to is recorded a moment later.
    await poll(async () => {
      last = (await deliveryOf(context, endpoint, work)) ?? last;
      return isSettled(last.record) ? true : undefined;
    }, target.settings.patience.quietMs);
    // Whatever requests are about, none was answered.
    const judged = judge(last.reply, undefined, [attempted.reply]);
    const { list, names } = deliveryFields(context);
    const because = `as the receiver hung up on all ${hook.delivered.length} requests`;
    const { state, deliveredAt } = last.record;
    judged.satisfies(state !== delivered, `no success, ${because}`, showJson(state), `${list}[].state`);
    if (names.includes("deliveredAt"))
      judged.satisfies(
        isDefault(deliveredAt),
        `no time of delivery, ${because}`,
        showJson(deliveredAt),
        `${list}[].deliveredAt`,
      );
    await hook.answerWith({ status: 200 });
  },
});
