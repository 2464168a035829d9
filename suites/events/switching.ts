import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case.ts";
import { type CaseContext, Unproven } from "../../harness/context.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import { deliveryOf, finishedJob, mentions, requestsOf, untilDelivered } from "../../harness/given/deliveries.ts";
import { recordIn, type Subject, versionOf } from "../../harness/given/subject.ts";
import { textAt } from "../../harness/json.ts";
import type { Delivered, Hook } from "../../harness/webhooks/receiver.ts";
import type { Reply } from "../../harness/wire/reply.ts";

interface Listening {
  readonly hook: Hook;
  readonly endpoint: Subject;
}

async function listen(context: CaseContext): Promise<Listening> {
  const hook = (await context.run.receiver()).hook();
  return { hook, endpoint: await alphaHome(context).makeEndpoint(hook.url) };
}

/** Requests at a hook that are about a job. Where the other's requests do not say so, those since `since` have to do. */
async function arrivals(
  context: CaseContext,
  silent: Listening,
  heard: Listening,
  job: Subject,
  since: number,
): Promise<readonly Delivered[]> {
  const found = await deliveryOf(context, heard.endpoint, job);
  const ids = [textAt(job.id, "value"), textAt(found?.record ?? {}, "eventId.value")];
  const telling = requestsOf(heard.hook, job, found?.record).length > 0;
  return silent.hook.delivered.filter((request) => (telling ? mentions(request, ids) : request.at >= since));
}

/** The switched-off endpoint hears nothing of a job that another endpoint hears of; `switched` is the call that did it. */
async function judgeSilence(context: CaseContext, silent: Listening, heard: Listening, switched: Reply): Promise<void> {
  const { judge, target, until } = context;
  const since = Date.now();
  const job = await finishedJob(context);
  if (!(await untilDelivered(context, heard.hook, heard.endpoint, job))) {
    throw new Unproven("needs a delivery to an enabled endpoint, beside which another's silence says something");
  }
  let came: readonly Delivered[] = [];
  await until(async () => {
    came = await arrivals(context, silent, heard, job, since);
    return came.length > 0 ? came : undefined;
  }, target.settings.patience.quietMs);
  judge(switched, "*.webhooks.disabled").satisfies(
    came.length === 0,
    "no delivery to this endpoint any more",
    `${came.length} came for a job that finished later`,
  );
}

/** Updates an endpoint; fields that are not changed stay as they are. */
async function update(context: CaseContext, endpoint: Subject, changes: JsonObject): Promise<Reply> {
  const { given, call } = context;
  const { name = "", url = "", enabled = false } = endpoint.record;
  return call(
    "alpha.v1.WebhookService/UpdateWebhookEndpoint",
    {
      requestId: given.requestId(),
      ...given.tenant(),
      endpointId: endpoint.id,
      expectedResourceVersion: endpoint.version,
      name,
      url,
      enabled,
      ...changes,
    },
    { baseUrl: endpoint.baseUrl },
  );
}

function after(endpoint: Subject, reply: Reply): Subject {
  const record = recordIn(reply);
  return { ...endpoint, record, version: versionOf(record) };
}

export const disabled = defineCase({
  id: "events/disabled-endpoint-receives-nothing",
  says: "a disabled endpoint receives nothing of what another endpoint receives, and receives again once enabled",
  clauses: ["alpha.webhooks.disabled", "alpha.webhooks.delivered"],
  rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    const { judge, needs } = context;
    const [silent, heard] = await Promise.all([listen(context), listen(context)]);
    const off = await update(context, silent.endpoint, { enabled: false });
    needs(off);
    await judgeSilence(context, silent, heard, off);
    const on = await update(context, after(silent.endpoint, off), { enabled: true });
    needs(on);
    const job = await finishedJob(context);
    const comes = await untilDelivered(context, silent.hook, silent.endpoint, job);
    judge(on, "*.webhooks.delivered").satisfies(comes, "deliveries once it is enabled again", "none came");
  },
});

export const deleted = defineCase({
  id: "events/deleted-endpoint-receives-nothing",
  says: "a deleted endpoint receives nothing of what another endpoint receives",
  clauses: ["alpha.webhooks.disabled"],
  rpc: "alpha.v1.WebhookService/DeleteWebhookEndpoint",
  async run(context) {
    const { row, given, call, needs } = context;
    const [silent, heard] = await Promise.all([listen(context), listen(context)]);
    const { endpoint } = silent;
    const gone = await call(row, await given.request(row, endpoint), { baseUrl: endpoint.baseUrl });
    needs(gone);
    await judgeSilence(context, silent, heard, gone);
  },
});

export const moved = defineCase({
  id: "events/moved-endpoint-receives-at-its-new-url",
  says: "once an endpoint has another url its deliveries go there",
  clauses: ["alpha.webhooks.delivered"],
  rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    const { run, judge, needs } = context;
    const { endpoint, hook } = await listen(context);
    const there = (await run.receiver()).hook();
    const reply = await update(context, endpoint, { url: there.url });
    needs(reply);
    const job = await finishedJob(context);
    const now = { ...endpoint, record: recordIn(reply) };
    const comes = await untilDelivered(context, there, now, job);
    const old = requestsOf(hook, job).length;
    judge(reply).satisfies(comes, "deliveries at the new url", old > 0 ? "they went to the old url" : "none came");
  },
});
