import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case.ts";
import { type CaseContext, Unproven } from "../../harness/context.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import { isSettled } from "../../harness/given/alpha-world.ts";
import {
  deliveryOf,
  finishedJob,
  listDeliveriesOf,
  mentions,
  type Recorded,
  requestsOf,
  untilRecorded,
} from "../../harness/given/deliveries.ts";
import type { Subject } from "../../harness/given/subject.ts";
import { listAll } from "../../harness/given/subject.ts";
import { isDefault, sameJson, showJson, textAt } from "../../harness/json.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

/** Judges that a delivery's record links what it is about. */
function judgeLinks({ judge }: CaseContext, { record, reply }: Recorded, endpoint: Subject, job: Subject): void {
  const links: readonly (readonly [string, boolean, string])[] = [
    ["endpointId", sameJson(record.endpointId, endpoint.id), showJson(endpoint.id)],
    ["jobId", sameJson(record.jobId, job.id), showJson(job.id)],
    ["eventId", !isDefault(record.eventId), "the id of an event"],
  ];
  for (const [field, held, expected] of links) {
    judge(reply, "*.webhooks.links").satisfies(held, expected, showJson(record[field]), `deliveries[].${field}`);
  }
}

/** Ids by which a request may name the delivery it is. */
function idsOf(record: JsonObject): readonly string[] {
  return [textAt(record, "id.value"), textAt(record, "eventId.value")];
}

/** What a listing shows in the place of a job's delivery: a record that a request about the job names, with other links. */
function strayRecord(hook: Hook, job: Subject, records: readonly JsonObject[]): JsonObject | undefined {
  const requests = hook.delivered.filter((request) => mentions(request, [textAt(job.id, "value")]));
  return records.find((record) => requests.some((request) => mentions(request, idsOf(record))));
}

export const success = defineCase({
  id: "events/finished-job-is-delivered",
  says: "a finished job is delivered to an enabled endpoint, and the record says what the receiver saw",
  clauses: ["alpha.webhooks.delivered", "alpha.webhooks.links", "alpha.webhooks.records"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { run, judge, until, target } = context;
    const hook = (await run.receiver()).hook();
    const endpoint = await alphaHome(context).makeEndpoint(hook.url);
    const job = await finishedJob(context);
    const settled = await untilRecorded(context, endpoint, job, isSettled);
    const found = settled ?? (await deliveryOf(context, endpoint, job));
    if (found === undefined) {
      const { records, replies } = await listDeliveriesOf(context, endpoint);
      const reply = replies.at(-1);
      if (reply === undefined) return;
      const stray = strayRecord(hook, job, records);
      if (stray !== undefined) judgeLinks(context, { record: stray, reply, others: 0 }, endpoint, job);
      else judge(reply).satisfies(false, "a delivery of the finished job", `${records.length} deliveries, none of it`);
      return;
    }
    const { record, reply } = found;
    judgeLinks(context, found, endpoint, job);
    // Where requests do not say what they are about, one that came at all has to do.
    const own = await until(async () => {
      const requests = requestsOf(hook, job, record);
      return requests.length > 0 ? requests : undefined;
    }, target.settings.patience.quietMs);
    judge(reply).satisfies((own ?? hook.delivered).length > 0, "a request to the endpoint's url", "none came");

    const records = judge(reply, "*.webhooks.records");
    const shows = (field: string, held: boolean, expected: string) =>
      records.satisfies(held, expected, showJson(record[field]), `deliveries[].${field}`);
    shows("state", record.state === delivered, `${delivered}, as the receiver answered 200`);
    shows("lastStatusCode", Number(record.lastStatusCode ?? 0) === 200, "200, as the receiver answered");
    shows("deliveredAt", !isDefault(record.deliveredAt), "when it was delivered");
    const attempts = Number(record.attemptCount ?? 0);
    if (own === undefined || found.others > 0) {
      shows("attemptCount", attempts >= 1 && attempts <= hook.delivered.length, "as many as came");
    } else shows("attemptCount", attempts === own.length, `${own.length}, as the receiver counted`);
  },
});

export const failure = defineCase({
  id: "events/failed-attempt-is-no-delivery",
  says: "while the receiver answers with an error a delivery is not recorded as delivered, and a later success is",
  clauses: ["alpha.webhooks.records"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { run, judge, note } = context;
    let healthy = false;
    const hook = (await run.receiver()).hook(() => ({ status: healthy ? 200 : 500 }));
    const endpoint = await alphaHome(context).makeEndpoint(hook.url);
    const job = await finishedJob(context);
    // An attempt may be counted as it begins, before its answer is there.
    const answered = (record: JsonObject) => !isDefault(record.attemptCount) && !isDefault(record.lastStatusCode);
    const failed =
      (await untilRecorded(context, endpoint, job, answered)) ?? (await deliveryOf(context, endpoint, job));
    if (failed === undefined || hook.delivered.length === 0) throw new Unproven("needs a delivery of a finished job");
    const shows = ({ record, reply }: Recorded, field: string, held: boolean, expected: string) =>
      judge(reply).satisfies(held, expected, showJson(record[field]), `deliveries[].${field}`);
    shows(failed, "state", failed.record.state !== delivered, "no success, as the receiver answered 500");
    shows(failed, "lastStatusCode", Number(failed.record.lastStatusCode ?? 0) === 500, "500, as the receiver answered");
    shows(failed, "deliveredAt", isDefault(failed.record.deliveredAt), "no time of delivery");
    if (failed.record.state === delivered) return;

    const before = requestsOf(hook, job, failed.record).length;
    healthy = true;
    const retried = await untilRecorded(context, endpoint, job, isSettled);
    if (retried?.record.state !== delivered) {
      note("*.open.webhook-retries", "a failed delivery is not tried again within patience.deliveryMs");
      return;
    }
    note("*.open.webhook-retries", "a failed delivery is tried again");
    shows(retried, "lastStatusCode", Number(retried.record.lastStatusCode ?? 0) === 200, "200, as answered at last");
    shows(retried, "deliveredAt", !isDefault(retried.record.deliveredAt), "when it was delivered");
    const attempts = Number(retried.record.attemptCount ?? 0);
    const own = requestsOf(hook, job, retried.record);
    const several = retried.others > 0;
    const counted = several ? attempts >= 1 : before === 0 ? attempts >= 2 : attempts === own.length;
    const least = several ? "an attempt or more" : "two attempts or more";
    const expected = several || before === 0 ? least : `${own.length}, as the receiver counted`;
    shows(retried, "attemptCount", counted, expected);
  },
});

export const slow = defineCase({
  id: "events/unanswered-attempt-is-no-delivery",
  says: "a delivery is not recorded as delivered before the receiver has answered",
  clauses: ["alpha.webhooks.records"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { run, judge, target } = context;
    const delayMs = target.settings.patience.quietMs;
    const hook = (await run.receiver()).hook(() => ({ status: 200, delayMs }));
    const endpoint = await alphaHome(context).makeEndpoint(hook.url);
    const job = await finishedJob(context);
    const settled = await untilRecorded(context, endpoint, job, isSettled);
    if (settled === undefined) throw new Unproven("needs a delivery that comes to its end");
    const { record, reply } = settled;
    // Where requests do not say what they are about, none can have been answered before the first of all was.
    const first = requestsOf(hook, job, record)[0] ?? hook.delivered[0];
    const shownAt = reply.exchange.startedAt + reply.exchange.durationMs;
    judge(reply).satisfies(
      record.state !== delivered || (first !== undefined && shownAt >= first.at + delayMs),
      "no success before the answer",
      `${showJson(record.state)} before the receiver had answered`,
      "deliveries[].state",
    );
  },
});

/** The whole listing in pages of the target's own size, and in short ones. */
const pages: readonly JsonObject[] = [{}, { pageSize: 2 }];

export const listing = defineCase({
  id: "events/deliveries-are-listed-by-endpoint",
  says: "ListWebhookDeliveries shows the deliveries of the endpoint it is asked for, all of them, on every page",
  clauses: ["alpha.filters.complete", "alpha.filters.hold"],
  rpc: "alpha.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { run, row, given, judge, target, until } = context;
    const hook = (await run.receiver()).hook();
    const endpoint = await alphaHome(context).makeEndpoint(hook.url);
    const jobs = await Promise.all([1, 2, 3].map(() => finishedJob(context)));
    // What the receiver got for a job must be listed; where requests name no job, whatever is listed has to do.
    const received = () => jobs.filter((job) => requestsOf(hook, job).length > 0);
    await until(async () => (received().length === jobs.length ? true : undefined), target.settings.patience.quietMs);
    const expected = received();
    const missingFrom = (records: readonly JsonObject[]) =>
      expected.filter((job) => !records.some((record) => sameJson(record.jobId, job.id)));
    await Promise.all(
      pages.map(async (page) => {
        const list = () => {
          const request = { ...given.tenant(), endpointId: endpoint.id, page };
          return listAll(context, row, request, { baseUrl: endpoint.baseUrl });
        };
        let seen = await list();
        await until(async () => {
          if (missingFrom(seen.records).length === 0) return seen;
          seen = await list();
          return undefined;
        }, target.settings.patience.deliveryMs);
        const last = seen.replies.at(-1);
        if (last === undefined || !seen.ended) return;
        const missing = missingFrom(seen.records).length;
        judge(last).satisfies(
          missing === 0,
          `the deliveries of ${expected.length} jobs that the receiver got`,
          `${missing} of them are not listed`,
          "deliveries",
        );
      }),
    );
  },
});
