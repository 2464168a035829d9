import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, endpointField, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, sameJson, showJson } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { listsDeliveries } from "./deliveries.ts";

export const sameUrl = defineRule({
  id: "events/deliveries-of-endpoints-at-one-url-are-told-apart",
  says: "of two endpoints with one url, each gets and is listed its own deliveries and none of the other",
  clauses: ["*.filters.hold", "*.webhooks.delivered"],
  rows: listsDeliveries,
  async run(context) {
    const { judge } = context;
    const hook = await openHook(context);
    const first = await createEnabledEndpoint(context, hook.url);
    const second = await createEnabledEndpoint(context, hook.url).catch((error: unknown) => {
      // Whether a url may be used twice is not shown.
      if (error instanceof Unproven) throw new ChosenOtherwise("a second endpoint at one url is refused");
      throw error;
    });
    const endpoints = [first, second];
    const work = await finishedWork(context);
    const own = endpointField(context);
    const { list } = deliveryFields(context);
    let delivered = false;
    let gotNone: Reply | undefined;
    for (const endpoint of endpoints) {
      const recorded = await untilRecorded(context, hook, endpoint, work, () => true);
      const { records: listed, replies } = await listDeliveriesOf(context, endpoint);
      for (const reply of replies) {
        const records = reply.outcome === "served" ? listAt(reply.json, list).filter(isObject) : [];
        const odd = records.find((record) => !sameJson(record[own], endpoint.id));
        const expected = `deliveries to ${showJson(endpoint.id)} alone`;
        judge(reply).satisfies(odd === undefined, expected, showJson(odd?.[own] ?? null), `${list}[].${own}`);
      }
      delivered ||= recorded !== undefined;
      if (recorded === undefined && listed.length === 0) gotNone = replies.at(-1);
    }
    // Where neither gets one, another case says so.
    if (delivered && gotNone !== undefined)
      judge(gotNone, "*.webhooks.delivered").satisfies(
        false,
        "a delivery to each of two enabled endpoints at one url",
        "one of them has none",
      );
  },
});
