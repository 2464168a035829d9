import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, requestsOf } from "../../harness/setup/webhook-arrival.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";

/**
 * Judges that a delivery which nobody saw listed, however long it was looked for, was never attempted either. Throws Unproven where it
 * was not, where what came does not say what it is about, and where a record that does not name the work may be the one.
 */
export async function judgeUnlisted(context: CaseContext, hook: Hook, endpoint: Subject, work: Subject): Promise<void> {
  const requests = requestsOf(context, hook, work);
  const { records, replies, ended } = await listDeliveriesOf(context, endpoint);
  const reply = replies.at(-1);
  const isNamed = records.some((record) => requests.some((one) => mentions(one, idsOf(context, record))));
  if (requests.length === 0 || reply === undefined || !ended || isNamed)
    throw new Unproven("needs a delivery of finished work");
  context
    .judge(reply, "*.filters.complete")
    .satisfies(
      false,
      `the delivery about the finished work, of which the receiver got ${requests.length} requests`,
      `${records.length} deliveries, none about it`,
      deliveryFields(context).list,
    );
}
