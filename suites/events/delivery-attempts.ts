import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { judgeAttemptOrder, judgeSelfChanges } from "../../harness/oracles/self-changes.ts";
import { fewestAttempts } from "../../harness/setup/delivery-attempts.ts";
import { deliveryFields, deliveryOf, type Recorded } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { isAnonymous, refusingOnly, requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork, redeliveryRequest } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { changingRowOf } from "../../proto/resources.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import { judgeCounted } from "./redelivery-counts.ts";
import { judgeDated } from "./second-redelivery.ts";
import { judgeTaken, listenBeside } from "./taken-beside.ts";
import { judgeUnlisted } from "./unlisted.ts";

const failed = "WEBHOOK_DELIVERY_STATE_FAILED";
const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

/** What the receiver answers: other cases have it answer 500. */
const refusal = 503;

/** A delivery that is followed: its endpoint, what it is about, and its records in the order they were shown. */
interface Followed {
  readonly hook: Hook;
  readonly endpoint: Subject;
  readonly work: Subject;
  readonly shown: Recorded[];
}

/** Looks at the delivery once more. */
async function look(context: CaseContext, { endpoint, work, shown }: Followed): Promise<Recorded | undefined> {
  const found = await deliveryOf(context, endpoint, work);
  if (found !== undefined) shown.push(found);
  return found;
}

const versionIn = ({ record }: Recorded) => versionOf(record);

/** Judges what a listing showed of a delivery, one look after the other. */
function judgeShown(context: CaseContext, { shown }: Followed): void {
  const { judge } = context;
  const last = shown.at(-1);
  if (last === undefined) return;
  const { list } = deliveryFields(context);
  const related = shown.slice(0, -1).map(({ reply }) => reply);
  const records = shown.map(({ record }) => record);
  judge(last.reply, "*.records.agree", related).keeps(judgeSelfChanges(records, `${list}[]`));
  const order = judgeAttemptOrder(records, "*.webhooks.records", `${list}[]`);
  judge(last.reply, "*.webhooks.records", related).keeps(order);
}

/** Judges that a delivery that is over is shown so for a while. */
async function judgeSettled(context: CaseContext, followed: Followed, settled: JsonObject): Promise<void> {
  const { judge, poll, target } = context;
  const { list } = deliveryFields(context);
  await poll(async () => {
    const now = await look(context, followed);
    return now === undefined || sameJson(now.record.state, settled.state) ? undefined : true;
  }, target.settings.patience.quietMs);
  const last = followed.shown.at(-1);
  if (last === undefined) return;
  judge(last.reply, "*.webhooks.settled").satisfies(
    sameJson(last.record.state, settled.state),
    `still ${showJson(settled.state)}`,
    showJson(last.record.state),
    `${list}[].state`,
  );
}

/** Judges that what the receiver never took is not recorded as delivered: each request about it was answered with an error. */
function judgeUntaken(context: CaseContext, { hook, work }: Followed, { record, reply }: Recorded): void {
  const { list } = deliveryFields(context);
  const own = requestsOf(context, hook, work, record);
  // Whether requests name what they are about is not shown.
  const came = own.length > 0 ? [...own, ...hook.delivered.filter(isAnonymous)] : hook.delivered;
  if (came.length === 0 || came.some(({ answered }) => answered < 300)) return;
  context
    .judge(reply, "*.webhooks.records")
    .satisfies(
      record.state !== delivered,
      `no success, as the receiver answered ${refusal} each time`,
      showJson(record.state),
      `${list}[].state`,
    );
}

/** Judges the record of a delivery that was given up. */
function judgeGivenUp(context: CaseContext, { hook, work }: Followed, { record, reply, others }: Recorded): void {
  const { list, names } = deliveryFields(context);
  const judged = context.judge(reply, "*.webhooks.records");
  const shows = (field: string, held: boolean, expected: string) =>
    names.includes(field) && judged.satisfies(held, expected, showJson(record[field]), `${list}[].${field}`);
  shows("lastStatusCode", Number(record.lastStatusCode ?? 0) === refusal, `${refusal}, as the receiver answered`);
  shows("deliveredAt", isDefault(record.deliveredAt), "no time of delivery");
  shows("nextAttemptAt", isDefault(record.nextAttemptAt), "no next attempt");
  const own = requestsOf(context, hook, work, record);
  const count = Number(record.attemptCount ?? 0);
  // Whether requests name what they are about is not shown; one may be lost on its way.
  const isCounted = own.length === 0 || others > 0 || count >= fewestAttempts(own);
  shows("attemptCount", isCounted, `${own.length}, as the receiver counted`);
}

/** Judges that a delivery that was given up is not sent again at a version it had before. True where nothing was. */
async function judgeStale(context: CaseContext, again: RpcRow, followed: Followed, record: JsonObject) {
  const { call, judge } = context;
  const stale = followed.shown.map(versionIn).find((version) => version !== versionOf(record));
  if (stale === undefined || again.expectedVersion === undefined) return true;
  const request = await redeliveryRequest(context, record, stale);
  const reply = await call(again, request, { baseUrl: followed.endpoint.baseUrl });
  const because = `it expects version ${stale} of a delivery that was given up at ${versionOf(record)}`;
  return judge(reply, "*.versioning.expected").isRefused({ because });
}

/** Sends a delivery that was given up once more, now that the receiver takes it; judges that it is delivered. */
async function judgeRedelivered(context: CaseContext, followed: Followed, record: JsonObject): Promise<void> {
  const { row, call, judge, observe } = context;
  const { hook, endpoint } = followed;
  const again = changingRowOf(row, Change.REDELIVERS);
  if (again === undefined) return;
  await hook.answerWith({ status: 200 });
  if (!(await judgeStale(context, again, followed, record))) return;
  const before = hook.delivered.length;
  const sent = { hook, work: followed.work, record, came: requestsOf(context, hook, followed.work, record).length };
  const request = await redeliveryRequest(context, record, versionOf(record));
  const reply = await call(again, request, { baseUrl: endpoint.baseUrl });
  observe("*.open.webhook-retries", `a redelivery of a delivery that was given up is ${reply.outcome}`);
  if (reply.outcome !== "served") return;
  const came = await pollForDelivery(context, async () => (hook.delivered.length > before ? true : undefined));
  judge(reply, "*.webhooks.redelivered").satisfies(came === true, "another request to the receiver", "none came");
  // Whether a redelivery is a record of its own is not shown.
  const { id } = deliveryFields(context);
  if (came !== true || !sameJson(recordIn(reply)[id], record[id])) return;
  let last: Recorded | undefined;
  const ended = await pollForDelivery(context, async () => {
    last = await look(context, followed);
    // A listing that lags still shows how it was given up.
    return last !== undefined && isSettled(last.record) && !sameJson(versionIn(last), versionOf(record))
      ? last
      : undefined;
  });
  const now = ended ?? last;
  judge(reply, "*.webhooks.records").satisfies(
    now?.record.state === delivered,
    "a delivery that is delivered in the end, as the receiver answered 200",
    showJson(now?.record.state),
    `${again.record?.name}.state`,
  );
  if (now === undefined) return;
  const dated = { now: now.record, related: [now.reply], at: `${deliveryFields(context).list}[]` };
  if (now.record.state === delivered) judgeDated(context, reply, record, dated);
  await judgeSettled(context, followed, now.record);
  await judgeCounted(context, reply, sent, () => look(context, followed));
}

export const attempts = defineRule({
  id: "events/delivery-record-follows-its-attempts",
  says: "each attempt of a delivery moves its version and its count, and what is delivered or given up stays so until it is sent again; what another endpoint took of the same is not given up with it",
  clauses: [
    "*.webhooks.records",
    "*.webhooks.settled",
    "*.webhooks.redelivered",
    "*.records.agree",
    "*.versioning.expected",
    "*.filters.complete",
  ],
  rows: (row) => row.subject === "webhook_delivery" && row.list !== undefined,
  async run(context) {
    const { observe, target } = context;
    const hook = await openHook(context, { status: refusal });
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const beside = await listenBeside(context);
    const work = await finishedWork(context);
    const first = await untilRecorded(context, hook, endpoint, work, () => true);
    if (first === undefined) return judgeUnlisted(context, hook, endpoint, work);
    const followed: Followed = { hook, endpoint, work, shown: [first] };
    const refuseOnlyThis = refusingOnly(context, hook, work, refusal);
    const settled = await pollForDelivery(context, async () => {
      const now = await look(context, followed);
      await refuseOnlyThis();
      return now !== undefined && isSettled(now.record) ? now : undefined;
    });
    judgeShown(context, followed);
    // What was listed, and was attempted, does not come to nothing.
    if (settled === undefined && (await look(context, followed)) === undefined)
      return judgeUnlisted(context, hook, endpoint, work);
    if (settled !== undefined) judgeUntaken(context, followed, settled);
    if (settled?.record.state !== failed) {
      const within = `within patience.deliveryMs (${target.settings.patience.deliveryMs} ms)`;
      observe("*.open.webhook-retries", `a delivery that is not taken is not given up ${within}`);
      return;
    }
    observe("*.open.webhook-retries", "a delivery that is not taken is given up");
    judgeGivenUp(context, followed, settled);
    await judgeTaken(context, beside, work);
    await judgeSettled(context, followed, settled.record);
    await judgeRedelivered(context, followed, settled.record);
  },
});
