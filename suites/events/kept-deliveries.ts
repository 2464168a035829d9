import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { deliveryFields, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { settledDelivery } from "../../harness/setup/webhook-delivery.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { judgeInsufficientCallers } from "../common/callers-without.ts";
import { callCurrent } from "../common/current-call.ts";

/** Judges that a delivery is listed for its endpoint, as it was before a call that was refused. */
async function judgeListed(
  context: CaseContext,
  { endpoint, record }: Awaited<ReturnType<typeof settledDelivery>>,
  refused: Reply,
  clause?: string,
): Promise<boolean> {
  const { id, list } = deliveryFields(context);
  const isListed = ({ records }: Awaited<ReturnType<typeof listDeliveriesOf>>) =>
    records.some((one) => sameJson(one[id], record[id]));
  const seen = await lookUntil(context, () => listDeliveriesOf(context, endpoint), isListed);
  return context
    .judge(refused, clause, seen.replies.slice(-1))
    .satisfies(isListed(seen), `the delivery ${showJson(record[id])} listed as before`, "it is on no page", list);
}

export const keptDeliveries = defineRule({
  id: "events/refused-deletion-keeps-deliveries",
  says: "a delivery is listed as before where the deletion of its job or its endpoint was refused, for its version or for its caller",
  clauses: ["*.versioning.expected", "*.auth.required", "*.auth.scope"],
  rows: rowsNamed(
    "alpha.v1.JobService/DeleteJob",
    "alpha.v1.WebhookService/DeleteWebhookEndpoint",
    "beta.v1.WebhookService/DeleteWebhookEndpoint",
  ),
  async run(context) {
    const { row, setup, call, judge } = context;
    const delivered = await settledDelivery(context);
    const made: Subject = row.subject === "job" ? delivered.work : delivered.endpoint;
    const subject = (await setup.current(made)) ?? made;
    const version = String(farFrom(numericVersion(subject)));
    const request = await setup.request(row, { ...subject, version });
    const refused = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
    const because = `version ${version} of a ${row.subject} is not the current ${subject.version}`;
    if (!judge(refused).isRefused({ because }) || !(await judgeListed(context, delivered, refused))) return;
    const isLeftAlone = (reply: Reply, clause: string) => judgeListed(context, delivered, reply, clause);
    if (!(await judgeInsufficientCallers(context, subject, isLeftAlone))) return;
    // The positive control. What was delivered meanwhile may have moved the endpoint.
    const deletable = await setup.deletable((await setup.current(subject)) ?? subject);
    const control = await callCurrent(context, { ...deletable, changesOnlyByMutation: row.subject === "job" });
    if (mayBeRefusedForState(control)) throw new ChosenOtherwise(`${row.method} is refused for such a ${row.subject}`);
    judge(control, "*.endpoints.served").isServed();
  },
});
