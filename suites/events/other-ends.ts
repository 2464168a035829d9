import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { deliveryOf, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { checkDeliveries, openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { judgeLinks, mislinkedRecord } from "./delivery-links.ts";

/** A canceled job; undefined where the target cancels none that has begun. */
async function canceledJob({ setup }: CaseContext): Promise<Subject | undefined> {
  try {
    return await setup.fresh("job:canceled");
  } catch (error) {
    if (error instanceof ChosenOtherwise) return undefined;
    throw error;
  }
}

/** A job that has failed, and one that was canceled: what deliveries may be about, besides jobs that succeeded. */
async function otherJobs(context: CaseContext): Promise<readonly Subject[]> {
  const [failed, canceled] = await Promise.all([context.setup.fresh("job:failed"), canceledJob(context)]);
  return canceled === undefined ? [failed] : [failed, canceled];
}

export const otherEnds = defineCase({
  id: "events/deliveries-about-failed-or-canceled-jobs-name-them",
  says: "a delivery about a job that failed or was canceled names it, its event and its endpoint",
  clauses: ["alpha.webhooks.links"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    await checkDeliveries(context);
    const hook = await openHook(context);
    const endpoint = await createEnabledEndpoint(context, hook.url);
    let told = 0;
    for (const work of await otherJobs(context)) {
      const found =
        (await untilRecorded(context, hook, endpoint, work, () => true)) ?? (await deliveryOf(context, endpoint, work));
      if (found !== undefined) {
        judgeLinks(context, found, endpoint, work);
        told += 1;
        continue;
      }
      const { records, replies } = await listDeliveriesOf(context, endpoint);
      const reply = replies.at(-1);
      const record = mislinkedRecord(context, hook, work, records);
      if (reply === undefined || record === undefined) continue;
      judgeLinks(context, { record, reply, others: 0 }, endpoint, work);
      told += 1;
    }
    // Which events there are is not shown.
    if (told === 0) throw new ChosenOtherwise("the target delivers nothing about jobs that failed or were canceled");
  },
});
