import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { rpc } from "../../proto/rpcs.ts";
import { type Listener, listen } from "./listener.ts";

const listEndpoints = rpc("alpha.v1.WebhookService/ListWebhookEndpoints");

/** Two endpoints of one name. Throws ChosenOtherwise where there is one alone: whether a name may be used twice is not shown. */
async function namesakes(context: CaseContext): Promise<readonly [Listener, Listener]> {
  const fields = { name: context.setup.name("Twin") };
  const first = await listen(context, { fields });
  const second = await listen(context, { fields }).catch((error: unknown) => {
    if (error instanceof Unproven) throw new ChosenOtherwise("a second endpoint of one name is refused");
    throw error;
  });
  if (sameJson(first.endpoint.id, second.endpoint.id))
    throw new ChosenOtherwise("a second endpoint of one name is answered with the first");
  return [first, second];
}

/** Judges that both are listed; a listing may lag behind what was made. */
async function judgeListed(context: CaseContext, both: readonly Listener[]): Promise<void> {
  const { judge, setup } = context;
  const { baseUrl } = both[0]?.endpoint ?? {};
  const look = async () => {
    const { records, replies, ended } = await listAll(context, listEndpoints, setup.tenant(), { baseUrl });
    const shown = both.filter(({ endpoint }) => findRecord(records, listEndpoints, endpoint.id)).length;
    return { replies, ended, shown };
  };
  const listed = await lookUntil(context, look, ({ shown }) => shown === both.length);
  const last = listed.replies.at(-1);
  if (last === undefined || !listed.ended) return;
  judge(last, "*.paging.traversal", listed.replies.slice(0, -1)).satisfies(
    listed.shown === both.length,
    "both of two endpoints that have one name",
    `${listed.shown} of them`,
    "endpoints",
  );
}

export const sameName = defineCase({
  id: "events/endpoints-of-one-name-are-told-apart",
  says: "of two endpoints with one name, both are listed, and each gets its deliveries",
  clauses: ["alpha.paging.traversal", "alpha.webhooks.delivered"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { judge } = context;
    const both = await namesakes(context);
    await judgeListed(context, both);
    const work = await finishedWork(context);
    const came = await Promise.all(both.map(({ hook, endpoint }) => untilDelivered(context, hook, endpoint, work)));
    const silent = both.find(({ hook }, index) => came[index] === false && hook.delivered.length === 0);
    // Where neither gets one, another case says so.
    if (silent === undefined || !came.includes(true)) return;
    const { records, replies } = await listDeliveriesOf(context, silent.endpoint);
    const last = replies.at(-1);
    if (last === undefined) return;
    judge(last, "*.webhooks.delivered").satisfies(
      records.length > 0,
      "a delivery to each of two enabled endpoints of one name",
      "one of them has none",
      "deliveries",
    );
  },
});
