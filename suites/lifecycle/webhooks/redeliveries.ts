import { defineRule } from "../../../harness/case/case.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { deliveryFields, endpointField } from "../../../harness/setup/delivery-record.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { redeliverableDeliveries } from "../../../harness/setup/redeliverable.ts";
import { idIn, recordIn } from "../../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { changingRowOf } from "../../../proto/resources.ts";
import { Change, Effect } from "../../../proto/rpcs.ts";

export const listedAsRedelivered = defineRule({
  id: "lifecycle/listed-delivery-matches-its-redelivery",
  says: "a listed delivery has the same links and times as in the reply to its redelivery",
  clauses: ["*.records.agree"],
  rows: (row) => row.subject === "webhook_delivery" && row.effect === Effect.LIST,
  async run(context) {
    const { row, setup, call, judge, needs, poll, target } = context;
    const again = changingRowOf(row, Change.REDELIVERS);
    const message = row.list?.field.message;
    if (again === undefined || message === undefined) return;
    const delivery = await setup.subjectOf(again);
    if (delivery === undefined) return;
    const baseUrl = setup.baseUrl(again, delivery);
    const redelivered = await call(again, await setup.request(again, delivery), { baseUrl });
    needs(redelivered);
    const request = await setup.request(row, delivery);
    // The delivery that is sent again, or one of its own that the redelivery made; listings may lag.
    const { listed, page } =
      (await poll(async () => {
        const { records, replies } = await listAll(context, row, request, { baseUrl: delivery.baseUrl });
        const listed = findRecord(records, row, idIn(redelivered));
        const page = replies.find((reply) => recordsIn(reply).some(({ record }) => record === listed));
        return listed === undefined ? undefined : { listed, page };
      }, target.settings.patience.settleMs)) ?? {};
    if (listed === undefined || page === undefined) throw new Unproven("needs a delivery that is listed");
    // It is being sent again: only fields that never change can be compared.
    const seen = { source: row.method, record: listed, settled: false };
    const other = { source: again.method, record: recordIn(redelivered), settled: false };
    const at = `${row.list?.name}[]`;
    judge(page, undefined, [redelivered]).keeps(judgeAgreement(message, seen, [other], new Set(), at));
    // The event's version is not the delivery's: sending the event again does not change it.
    judge(page, undefined, [redelivered]).satisfies(
      sameJson(listed.eventVersion, other.record.eventVersion),
      `${showJson(other.record.eventVersion)}, as ${again.method} showed`,
      showJson(listed.eventVersion),
      `${at}.eventVersion`,
    );
  },
});

export const ofTheNamed = defineRule({
  id: "lifecycle/redelivery-is-of-the-named-delivery",
  says: "of two deliveries sent again, each reply is the record of a delivery of the same event to the same endpoint",
  clauses: ["*.webhooks.redelivery", "*.records.identity"],
  rows: ({ change }) => change === Change.REDELIVERS,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { about, names } = deliveryFields(context);
    const linked = [about, endpointField(context), "eventId", "eventType", "eventVersion"];
    // Two, as a server that mixes them up answers the first one right.
    for (const delivery of await redeliverableDeliveries(context, 2)) {
      const reply = await call(row, await setup.request(row, delivery), { baseUrl: setup.baseUrl(row, delivery) });
      needs(reply);
      for (const field of linked.filter((one) => names.includes(one))) {
        const [shown, own] = [recordIn(reply)[field], delivery.record[field]];
        judge(reply).satisfies(
          sameJson(shown, own),
          `${showJson(own)}, as of the delivery that was named`,
          showJson(shown),
          `${row.record?.name}.${field}`,
        );
      }
    }
  },
});
