import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { fewestAttempts } from "../../harness/setup/delivery-attempts.ts";
import { deliveryFields, deliveryOf, listDeliveriesOf, type Recorded } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { isDefault, showJson, textAt } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { judgeLinks, mislinkedRecord } from "./delivery-links.ts";
import { judgeUnlisted } from "./unlisted.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

/** The RPC that lists deliveries, of either package. */
export const listsDeliveries = (row: RpcRow) => row.subject === "webhook_delivery" && row.list !== undefined;

/** Judges a field of a delivery's record, where the package's records have it. */
function judgeField(
  context: CaseContext,
  { record, reply }: Recorded,
  field: string,
  held: boolean,
  expected: string,
): void {
  const { list, names } = deliveryFields(context);
  if (!names.includes(field)) return;
  const records = context.judge(reply, "*.webhooks.records");
  records.satisfies(held, expected, showJson(record[field]), `${list}[].${field}`);
}

/**
 * Requests to a hook that a delivery's record may be about: those that name it; where none of all the requests names the
 * delivery it is, each may be the one.
 */
async function requestsFor(context: CaseContext, hook: Hook, endpoint: Subject, work: Subject, record: JsonObject) {
  const own = requestsOf(context, hook, work, record);
  if (own.length > 0) return { own, all: own };
  // Every job that ends meanwhile is delivered to the endpoint, too.
  const { records } = await listDeliveriesOf(context, endpoint);
  const ids = records.flatMap((one) => [...idsOf(context, one), textAt(one, `${deliveryFields(context).about}.value`)]);
  const named = hook.delivered.some((request) => mentions(request, ids));
  return { own: undefined, all: named ? [] : hook.delivered };
}

/** Waits for a request about some work: an attempt may be counted as it begins, a while before it arrives. */
async function untilRequested(context: CaseContext, hook: Hook, work: Subject, record: JsonObject): Promise<void> {
  await pollForDelivery(context, async () => requestsOf(context, hook, work, record).length > 0 || undefined);
}

/** Throws Unproven where a delivery awaits its first attempt: when that is made is not shown. */
function needsAttempt(context: CaseContext, { record }: Recorded, requests: readonly unknown[]): void {
  const { patience } = context.target.settings;
  if (requests.length > 0 || isSettled(record) || !isDefault(record.attemptCount)) return;
  throw new Unproven(
    `needs a delivery that is attempted; none was within patience.deliveryMs (${patience.deliveryMs} ms), and it is ${textAt(record, "state")}`,
  );
}

/** Judges that the end of a job or run is delivered to an enabled endpoint, and the delivery record says what the receiver saw. */
async function judgeDelivered(context: CaseContext): Promise<void> {
  const { judge, poll, target } = context;
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const work = await finishedWork(context);
  const settled = await untilRecorded(context, hook, endpoint, work, isSettled);
  const found = settled ?? (await deliveryOf(context, endpoint, work));
  if (found === undefined) {
    const { records, replies } = await listDeliveriesOf(context, endpoint);
    const reply = replies.at(-1);
    if (reply === undefined) return;
    const mislinked = mislinkedRecord(context, hook, work, records);
    if (mislinked !== undefined) judgeLinks(context, { record: mislinked, reply, others: 0 }, endpoint, work);
    else
      judge(reply).satisfies(
        false,
        "a delivery about the finished work",
        `${records.length} deliveries, none about it`,
      );
    return;
  }
  const { record, reply } = found;
  judgeLinks(context, found, endpoint, work);
  await poll(async () => {
    const requests = requestsOf(context, hook, work, record);
    return requests.length > 0 ? requests : undefined;
  }, target.settings.patience.quietMs);
  const { own, all } = await requestsFor(context, hook, endpoint, work, record);
  needsAttempt(context, found, all);
  judge(reply).satisfies(all.length > 0, "a request to the endpoint's url", "none about the finished work came");

  const shows = (field: string, held: boolean, expected: string) => judgeField(context, found, field, held, expected);
  shows("state", record.state === delivered, `${delivered}, as the receiver answered 200`);
  shows("lastStatusCode", Number(record.lastStatusCode ?? 0) === 200, "200, as the receiver answered");
  shows("deliveredAt", !isDefault(record.deliveredAt), "when it was delivered");
  const attempts = Number(record.attemptCount ?? 0);
  if (own === undefined || found.others > 0) {
    shows("attemptCount", attempts >= 1 && attempts <= hook.delivered.length, "as many as the receiver got");
    return;
  }
  const more = attempts > own.length && (await overcounts(context, hook, endpoint));
  shows("attemptCount", attempts >= fewestAttempts(own) && !more, `${own.length}, as the receiver counted`);
}

export const success = defineRule({
  id: "events/finished-job-or-run-is-delivered",
  says: "the end of a job or run is delivered to an enabled endpoint, and the delivery record says what the receiver saw",
  clauses: ["*.webhooks.delivered", "*.webhooks.links", "*.webhooks.records"],
  rows: listsDeliveries,
  smoke: rowsNamed("alpha.v1.WebhookService/ListWebhookDeliveries"),
  run: (context) => inBothTenants(context, judgeDelivered),
});

/**
 * True where a second delivery, too, counts more attempts than the receiver got. One attempt may be lost on the network and
 * is rightly counted, but hardly twice in a row.
 */
async function overcounts(context: CaseContext, hook: Hook, endpoint: Subject): Promise<boolean> {
  const work = await finishedWork(context);
  const recorded = await untilRecorded(context, hook, endpoint, work, isSettled);
  if (recorded === undefined) return false;
  return Number(recorded.record.attemptCount ?? 0) > requestsOf(context, hook, work, recorded.record).length;
}

/**
 * Judges what is recorded of a delivery whose first attempts the receiver answers with an error, and a later one with success.
 *
 * @param isAgain that more attempts were counted than came is judged: one may be lost on its way, but hardly twice in a row
 * @returns whether that is to be seen again, before it is judged
 */
async function judgeRetried(context: CaseContext, isAgain: boolean): Promise<boolean> {
  const { observe, poll, target } = context;
  const hook = await openHook(context, { status: 500 });
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const work = await finishedWork(context);
  // An attempt may be counted when it begins, before it is answered.
  const showsStatus = deliveryFields(context).names.includes("lastStatusCode");
  const answered = (record: JsonObject) =>
    !isDefault(record.attemptCount) && (!showsStatus || !isDefault(record.lastStatusCode));
  const failed =
    (await untilRecorded(context, hook, endpoint, work, answered)) ?? (await deliveryOf(context, endpoint, work));
  if (failed === undefined) {
    await judgeUnlisted(context, hook, endpoint, work);
    return false;
  }
  await untilRequested(context, hook, work, failed.record);
  const came = await requestsFor(context, hook, endpoint, work, failed.record);
  needsAttempt(context, failed, came.all);
  if (came.all.length === 0) throw new Unproven("needs a request about the finished work");
  const shows = (recorded: Recorded, field: string, held: boolean, expected: string) =>
    judgeField(context, recorded, field, held, expected);
  shows(failed, "state", failed.record.state !== delivered, "no success, as the receiver answered 500");
  shows(failed, "lastStatusCode", Number(failed.record.lastStatusCode ?? 0) === 500, "500, as the receiver answered");
  shows(failed, "deliveredAt", isDefault(failed.record.deliveredAt), "no time of delivery");
  if (failed.record.state === delivered) return false;

  const before = requestsOf(context, hook, work, failed.record).length;
  await hook.answerWith({ status: 200 });
  const retried = await untilRecorded(context, hook, endpoint, work, isSettled);
  if (retried?.record.state !== delivered) {
    observe("*.open.webhook-retries", "a failed delivery is not tried again within patience.deliveryMs");
    return false;
  }
  observe("*.open.webhook-retries", "a failed delivery is tried again");
  shows(
    retried,
    "lastStatusCode",
    Number(retried.record.lastStatusCode ?? 0) === 200,
    "200, as the receiver answered in the end",
  );
  shows(retried, "deliveredAt", !isDefault(retried.record.deliveredAt), "when it was delivered");
  if (retried.others > 0 || before === 0) {
    const [least, expected] = retried.others > 0 ? [1, "an attempt or more"] : [2, "two attempts or more"];
    shows(retried, "attemptCount", Number(retried.record.attemptCount ?? 0) >= least, expected);
    return false;
  }
  // What was delivered may be sent once more, and is counted before that or after.
  const isCounted = ({ record }: Recorded) => {
    const [count, came] = [Number(record.attemptCount ?? 0), requestsOf(context, hook, work, record)];
    return count >= fewestAttempts(came) && count <= came.length;
  };
  const counted = await poll(async () => {
    const now = await deliveryOf(context, endpoint, work);
    return now !== undefined && isCounted(now) ? now : undefined;
  }, target.settings.patience.quietMs);
  const last = counted ?? (await deliveryOf(context, endpoint, work)) ?? retried;
  const own = requestsOf(context, hook, work, last.record);
  if (!isAgain && Number(last.record.attemptCount ?? 0) > own.length) return true;
  shows(last, "attemptCount", counted !== undefined, `${own.length}, as the receiver counted`);
  return false;
}

export const failure = defineRule({
  id: "events/failed-attempt-is-not-recorded-as-delivered",
  says: "a delivery is listed, and not as delivered, while the receiver answers with an error, and as delivered once a retry succeeds",
  clauses: ["*.webhooks.records", "*.filters.complete"],
  rows: listsDeliveries,
  async run(context) {
    if (await judgeRetried(context, false)) await judgeRetried(context, true);
  },
});

export const slow = defineRule({
  id: "events/unanswered-attempt-is-not-recorded-as-delivered",
  says: "a delivery is not recorded as delivered before the receiver has answered",
  clauses: ["*.webhooks.records"],
  rows: listsDeliveries,
  async run(context) {
    const { judge, target } = context;
    const delayMs = target.settings.patience.quietMs;
    const hook = await openHook(context, { status: 200, delayMs });
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const work = await finishedWork(context);
    const settled = await untilRecorded(context, hook, endpoint, work, isSettled);
    if (settled === undefined) throw new Unproven("needs a delivery that settles");
    const { record, reply } = settled;
    // Where requests do not say what they are about, the first of all is the earliest that can have been answered.
    const first = requestsOf(context, hook, work, record)[0] ?? hook.delivered[0];
    const shownAt = reply.exchange.startedAt + reply.exchange.durationMs;
    judge(reply).satisfies(
      record.state !== delivered || (first !== undefined && shownAt >= first.at + delayMs),
      "not delivered before the receiver answered",
      `${showJson(record.state)} before the receiver had answered`,
      `${deliveryFields(context).list}[].state`,
    );
  },
});
