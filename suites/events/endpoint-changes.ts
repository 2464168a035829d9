import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { mentions, requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import type { Delivered, Hook } from "../../harness/webhooks/receiver.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { switches } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

const updatesEndpoints = (row: RpcRow) => row.subject === "webhook_endpoint" && switches(row);
const deletesEndpoints = ({ subject, effect }: RpcRow) => subject === "webhook_endpoint" && effect === Effect.DELETE;

interface Listening {
  readonly hook: Hook;
  readonly endpoint: Subject;
}

async function listen(context: CaseContext): Promise<Listening> {
  const hook = (await context.run.receiver()).hook();
  return { hook, endpoint: await createEnabledEndpoint(context, hook.url) };
}

/** Requests at a hook that are about some work. Where the other's requests do not say so, those since `since` have to do. */
async function arrivals(
  context: CaseContext,
  silent: Listening,
  heard: Listening,
  work: Subject,
  since: number,
): Promise<readonly Delivered[]> {
  const found = await deliveryOf(context, heard.endpoint, work);
  const ids = [textAt(work.id, "value"), textAt(found?.record ?? {}, "eventId.value")];
  const telling = requestsOf(context, heard.hook, work, found?.record).length > 0;
  return silent.hook.delivered.filter((request) => (telling ? mentions(request, ids) : request.at >= since));
}

/** The switched-off endpoint hears nothing of what another endpoint hears of; `switched` is the call that did it. */
async function judgeSilence(context: CaseContext, silent: Listening, heard: Listening, switched: Reply): Promise<void> {
  const { judge, target, poll } = context;
  const since = Date.now();
  const work = await finishedWork(context);
  if (!(await untilDelivered(context, heard.hook, heard.endpoint, work))) {
    throw new Unproven("needs a delivery to an enabled endpoint, beside which another's silence says something");
  }
  let came: readonly Delivered[] = [];
  await poll(async () => {
    came = await arrivals(context, silent, heard, work, since);
    return came.length > 0 ? came : undefined;
  }, target.settings.patience.quietMs);
  judge(switched, "*.webhooks.disabled").satisfies(
    came.length === 0,
    "no delivery to this endpoint any more",
    `${came.length} came for what finished later`,
  );
}

function after(endpoint: Subject, reply: Reply): Subject {
  const record = recordIn(reply);
  return { ...endpoint, record, version: versionOf(record) };
}

export const disabled = defineRule({
  id: "events/disabled-endpoint-receives-nothing",
  says: "a disabled endpoint receives nothing of what another endpoint receives, and receives again once enabled",
  clauses: ["*.webhooks.disabled", "*.webhooks.delivered"],
  rows: updatesEndpoints,
  async run(context) {
    const { judge, needs } = context;
    const [silent, heard] = await Promise.all([listen(context), listen(context)]);
    const off = await updateEndpoint(context, silent.endpoint, { enabled: false });
    needs(off);
    await judgeSilence(context, silent, heard, off);
    const on = await updateEndpoint(context, after(silent.endpoint, off), { enabled: true });
    needs(on);
    const work = await finishedWork(context);
    const comes = await untilDelivered(context, silent.hook, silent.endpoint, work);
    judge(on, "*.webhooks.delivered").satisfies(comes, "deliveries once it is enabled again", "none came");
  },
});

export const deleted = defineRule({
  id: "events/deleted-endpoint-receives-nothing",
  says: "a deleted endpoint receives nothing of what another endpoint receives",
  clauses: ["*.webhooks.disabled"],
  rows: deletesEndpoints,
  async run(context) {
    const { row, setup, call, needs } = context;
    const [silent, heard] = await Promise.all([listen(context), listen(context)]);
    const { endpoint } = silent;
    const gone = await call(row, await setup.request(row, endpoint), { baseUrl: endpoint.baseUrl });
    needs(gone);
    await judgeSilence(context, silent, heard, gone);
  },
});

export const moved = defineRule({
  id: "events/changed-url-receives-the-deliveries",
  says: "once an endpoint has another url its deliveries go there",
  clauses: ["*.webhooks.delivered"],
  rows: updatesEndpoints,
  async run(context) {
    const { run, judge, needs } = context;
    const { endpoint, hook } = await listen(context);
    const there = (await run.receiver()).hook();
    const reply = await updateEndpoint(context, endpoint, { url: there.url });
    needs(reply);
    const work = await finishedWork(context);
    const now = { ...endpoint, record: recordIn(reply) };
    const comes = await untilDelivered(context, there, now, work);
    const old = requestsOf(context, hook, work).length;
    judge(reply).satisfies(comes, "deliveries at the new url", old > 0 ? "they went to the old url" : "none came");
  },
});
