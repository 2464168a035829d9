import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { endpointField } from "../../harness/setup/delivery-record.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { unwatchedHook } from "../../harness/setup/unwatched-hook.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint, createEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** The first page of the deliveries of an endpoint. */
async function list(context: CaseContext, { id, baseUrl }: Subject): Promise<Reply> {
  const { row, setup } = context;
  const request = await setup.request(row, undefined, { [endpointField(context)]: id });
  return (await callListing(context, row, request, { baseUrl })).reply;
}

const isEmpty = ({ row }: CaseContext, reply: Reply) =>
  reply.outcome === "served" && listAt(reply.json, row.list?.name ?? "").length === 0;

/** The page that shows deliveries of an endpoint: the first, or one that it leads to, where the first is empty. */
async function listShown(context: CaseContext, endpoint: Subject): Promise<Reply | undefined> {
  const reply = await list(context, endpoint);
  if (reply.outcome !== "served" || !isEmpty(context, reply)) return reply.outcome === "served" ? reply : undefined;
  if (textAt(reply.json, "page.nextCursor") === "") return undefined;
  const { row, setup } = context;
  const request = await setup.request(row, undefined, { [endpointField(context)]: endpoint.id });
  const pages = await listAll(context, row, request, { baseUrl: endpoint.baseUrl }, (page) => page.length > 0);
  return pages.records.length > 0 ? pages.replies.at(-1) : undefined;
}

/** Lists the deliveries of an endpoint that has some: the positive control. */
async function listSome(context: CaseContext): Promise<Reply> {
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url);
  await finishedWork(context);
  const listed = await pollForDelivery(context, () => listShown(context, endpoint));
  if (listed === undefined) throw new Unproven("needs an endpoint whose deliveries are listed");
  return listed;
}

/** Lists the deliveries of a new endpoint, which is disabled, so that it gets none. Reads may lag behind its creation. */
async function listNone(context: CaseContext): Promise<Reply | undefined> {
  const { poll, target } = context;
  const { endpoint } = await createEndpoint(context, await unwatchedHook(context));
  // Where this is refused, it may get some meanwhile.
  if (endpoint.record.enabled === true) await updateEndpoint(context, endpoint, { enabled: false });
  let last: Reply | undefined;
  await poll(async () => {
    last = await list(context, endpoint);
    return last.outcome === "served" || undefined;
  }, target.settings.patience.settleMs);
  return last;
}

/** How many endpoints are made, at most, until one has no deliveries: work that ends may be delivered to them at once. */
const attempts = 10;

export const emptyListing = defineRule({
  id: "events/endpoint-without-deliveries-lists-none",
  says: "a listing of the deliveries of an endpoint that has none is served, with no items",
  clauses: ["*.paging.shape"],
  rows: (row) => row.subject === "webhook_delivery" && row.list !== undefined,
  async run(context) {
    const { judge } = context;
    const listed = await listSome(context);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const reply = await listNone(context);
      if (reply === undefined || (reply.outcome === "served" && !isEmpty(context, reply))) continue;
      judge(reply, undefined, [listed]).isServed();
      return;
    }
    // What an endpoint is sent as it is made, a greeting for one, is open as are all kinds of events.
    throw new ChosenOtherwise("an endpoint has deliveries as soon as it is made");
  },
});
