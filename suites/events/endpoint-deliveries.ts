import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { deliveryFields, endpointField, listDeliveriesOf, namesWork } from "../../harness/setup/delivery-record.ts";
import { requestsOf, unlinkedRecord } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { judgeDeletedFilter } from "../common/deleted-filter.ts";
import { listsDeliveries } from "./deliveries.ts";

/** The whole listing in pages of the target's own size, and in short ones. */
const pages: readonly JsonObject[] = [{}, { pageSize: 2 }, { pageSize: 1 }];

export const listing = defineRule({
  id: "events/deliveries-are-listed-by-endpoint",
  says: "a listing by endpoint shows all deliveries of that endpoint and no other, on every page",
  clauses: ["*.filters.complete", "*.filters.hold"],
  rows: listsDeliveries,
  async run(context) {
    const { row, setup, judge, target, poll } = context;
    const { about, list } = deliveryFields(context);
    const hook = await openHook(context);
    const endpoint = await createEnabledEndpoint(context, hook.url);
    // It is told of the same: between the deliveries that are asked for stand those of another endpoint.
    const other = await openHook(context);
    await createEnabledEndpoint(context, other.url);
    const jobs = await Promise.all([1, 2, 3].map(() => finishedWork(context)));
    // What the receiver got must be listed; requests that name nothing leave nothing to compare with.
    const received = () => jobs.filter((work) => requestsOf(context, hook, work).length > 0);
    await poll(async () => (received().length === jobs.length ? true : undefined), target.settings.patience.quietMs);
    const expected = received();
    const missingFrom = (records: readonly JsonObject[]) =>
      expected.filter(
        (work) =>
          !records.some((record) => namesWork(record[about], work)) &&
          // One that does not name its work is listed: what it lacks is another question.
          unlinkedRecord(context, hook, work, records) === undefined,
      );
    await Promise.all(
      pages.map(async (page) => {
        let seen = await listDeliveriesOf(context, endpoint, page);
        await pollForDelivery(context, async () => {
          if (missingFrom(seen.records).length === 0) return seen;
          seen = await listDeliveriesOf(context, endpoint, page);
          return undefined;
        });
        const last = seen.replies.at(-1);
        if (last === undefined || !seen.ended) return;
        const missing = missingFrom(seen.records).length;
        judge(last).satisfies(
          missing === 0,
          `the ${expected.length} deliveries that the receiver got`,
          `${missing} of them are not listed`,
          list,
        );
      }),
    );
    await judgeDeletedFilter(context, endpoint, endpointField(context), await setup.request(row, undefined));
  },
});
