import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { redeliver, redeliverableDelivery } from "../../harness/setup/redeliverable.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { Change } from "../../proto/rpcs.ts";

const isDelivered = (record: JsonObject) => textAt(record, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED";

export const redeliveredAlone = defineRule({
  id: "events/redelivery-leaves-the-deliveries-to-other-endpoints",
  says: "where a delivery is sent again, what another endpoint was delivered about the same work is not sent again with it",
  clauses: ["*.records.untouched"],
  rows: ({ change }) => change === Change.REDELIVERS,
  async run(context) {
    const { judge, needs, poll, target } = context;
    const hook = await openHook(context);
    const other = await createEnabledEndpoint(context, hook.url);
    const over = await redeliverableDelivery(context);
    const recorded = await untilRecorded(context, hook, other, over.work, isDelivered);
    if (recorded === undefined) throw new Unproven("needs a delivery about the same work to another endpoint");
    const { id, list } = deliveryFields(context);
    const came = over.hook.delivered.length;
    const reply = await redeliver(context, over);
    needs(reply);
    // The control: it is sent again. Where nothing comes, another case says so.
    await pollForDelivery(context, async () => (over.hook.delivered.length > came ? true : undefined));
    let now: JsonObject | undefined;
    const isMoved = (record: JsonObject | undefined) =>
      record !== undefined && !(isDelivered(record) && sameJson(record.attemptCount, recorded.record.attemptCount));
    await poll(async () => {
      const { records } = await listDeliveriesOf(context, other);
      now = records.find((one) => sameJson(one[id], recorded.record[id]));
      return isMoved(now) ? true : undefined;
    }, target.settings.patience.quietMs);
    judge(reply, undefined, [recorded.reply]).satisfies(
      !isMoved(now),
      `the delivery to another endpoint as it was, after ${showJson(recorded.record.attemptCount ?? 0)} attempts`,
      showJson(now),
      `${list}[]`,
    );
  },
});
