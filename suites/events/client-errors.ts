import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, deliveryOf } from "../../harness/setup/delivery-record.ts";
import { isAnonymous, refusingOnly, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, showJson } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { listsDeliveries } from "./deliveries.ts";

/** Answers of a receiver that does not take what is sent to it; a redirection without a place to go leads nowhere. */
const statuses = [404, 410, 429, 302];

export const clientErrors = defineRule({
  id: "events/delivery-answered-with-a-client-error-is-not-delivered",
  says: "a delivery that the receiver answers with 404, 410, 429 or a redirection to nowhere each time is not recorded as delivered",
  clauses: ["*.webhooks.records"],
  rows: listsDeliveries,
  async run(context) {
    const { judge, poll, target } = context;
    const listeners = await Promise.all(
      statuses.map(async (status) => {
        const hook = await openHook(context, { status });
        return { status, hook, endpoint: await createEnabledEndpoint(context, hook.url) };
      }),
    );
    const work = await finishedWork(context);
    let judged = 0;
    let untold = false;
    await Promise.all(
      listeners.map(async ({ status, hook, endpoint }) => {
        const refuseOnlyThis = refusingOnly(context, hook, work, status);
        // Whether a request says what it is about is not shown: until one does, each is answered so.
        const tried = await untilRecorded(
          context,
          hook,
          endpoint,
          work,
          (record) => isSettled(record) || (hook.delivered.length > 0 && !isDefault(record.attemptCount)),
        );
        if (tried === undefined) return;
        await poll(async () => {
          await refuseOnlyThis();
          const now = await deliveryOf(context, endpoint, work);
          return now !== undefined && isSettled(now.record) ? now : undefined;
        }, target.settings.patience.quietMs);
        const found = await deliveryOf(context, endpoint, work);
        // What names nothing may be about this work, and was taken once another request had named that.
        const isTaken = hook.delivered.some((request) => request.answered < 300 && isAnonymous(request));
        untold ||= isTaken;
        if (found === undefined || isTaken) return;
        judged += 1;
        judge(found.reply).satisfies(
          found.record.state !== "WEBHOOK_DELIVERY_STATE_DELIVERED",
          `no success, as the receiver answered ${status} each time`,
          showJson(found.record.state),
          `${deliveryFields(context).list}[].state`,
        );
      }),
    );
    if (judged === 0 && untold) throw new ChosenOtherwise("not every request says what it is about");
    if (judged === 0) throw new Unproven("needs a delivery that the receiver answered");
  },
});
