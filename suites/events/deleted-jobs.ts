import { defineCase } from "../../harness/case/case.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import { allowStateRefusal } from "../common/refused-states.ts";
import { judgeLinks } from "./delivery-links.ts";

export const ofDeletedJobs = defineCase({
  id: "events/delivery-names-its-job-though-that-is-deleted",
  says: "a delivery that is listed once its job was deleted names its endpoint, its event and that job as before",
  clauses: ["alpha.webhooks.links", "alpha.webhooks.records"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { setup, call, judge, needs } = context;
    const hook = await openHook(context);
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const job = await finishedWork(context);
    const before = await untilRecorded(context, hook, endpoint, job, () => true);
    if (before === undefined) throw new ChosenOtherwise("the end of a job is not delivered soon");
    // The positive control: while there is the job, it is named.
    judgeLinks(context, before, endpoint, job);
    const remove = setup.deleteOf("job");
    const deletion = await callAsItIsNow(context, await setup.deletable(job), async (current) =>
      call(remove, await setup.request(remove, current), { baseUrl: job.baseUrl }),
    );
    allowStateRefusal(deletion, job);
    needs(deletion);
    const { records, replies } = await listDeliveriesOf(context, endpoint);
    // What a deletion does to deliveries is open: those that are left are judged.
    const [record, reply] = [records.find(({ id }) => sameJson(id ?? null, before.record.id)), replies.at(-1)];
    if (record === undefined || reply === undefined) return;
    if (!isDefault(record.jobId)) return judgeLinks(context, { ...before, record, reply }, endpoint, job);
    // Which other records a deletion changes is not shown: that it takes the link away is told, and fails nobody.
    judge(reply, "*.webhooks.records").satisfies(
      false,
      `${showJson(job.id)}, as what was delivered is about it`,
      showJson(record.jobId),
      "deliveries[].jobId",
    );
  },
});
