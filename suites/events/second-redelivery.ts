import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { deliveryFields, listDeliveriesOf, type Recorded } from "../../harness/setup/delivery-record.ts";
import { redeliver } from "../../harness/setup/redeliverable.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { attemptsIn, type SentAgain, since } from "./redelivery-counts.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

/** Judges that the record of a redelivery which was delivered says when. Whether that is the first time or the last is not shown. */
export function judgeDated(
  { judge, observe }: CaseContext,
  reply: Reply,
  before: JsonObject,
  { now, related, at }: { readonly now: JsonObject; readonly related: readonly Reply[]; readonly at: string },
): void {
  judge(reply, "*.webhooks.records", related).satisfies(
    !isDefault(now.deliveredAt),
    "when it was delivered, as a record that is delivered says",
    showJson(now.deliveredAt),
    `${at}.deliveredAt`,
  );
  if (!isDefault(before.deliveredAt) && sameJson(before.deliveredAt, now.deliveredAt))
    observe("*.open.webhook-retries", "a redelivery keeps deliveredAt");
}

/** How a delivery is listed: its record as it is now, and the reply that shows it. */
async function listedNow(
  context: CaseContext,
  endpoint: Subject,
  id: JsonObject[string],
): Promise<Omit<Recorded, "others"> | undefined> {
  const fields = deliveryFields(context);
  const { records, replies } = await listDeliveriesOf(context, endpoint);
  const [record, reply] = [records.find((one) => sameJson(one[fields.id], id)), replies.at(-1)];
  return record === undefined || reply === undefined ? undefined : { record, reply };
}

/** How often a second redelivery is asked for: one that meets the first still under way may be taken for the same. */
const maxTries = 2;

/** Sends a delivery again that was sent again before, and judges that it comes. Undefined where it is refused, or nothing comes. */
async function sendSecond(context: CaseContext, endpoint: Subject, sent: SentAgain, record: JsonObject) {
  const own = () => requestsOf(context, sent.hook, sent.work, sent.record).length;
  let [last, now]: [Reply | undefined, JsonObject] = [undefined, record];
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = own();
    const reply = await redeliver(context, { endpoint, record: now });
    // How often a delivery can be sent again is not shown.
    if (reply.outcome === "served") {
      last = reply;
      const came = await pollForDelivery(context, async () => (own() > before ? true : undefined));
      if (came === true) return { reply, own, before, counted: attemptsIn(now) };
    }
    now = (await listedNow(context, endpoint, record[deliveryFields(context).id] ?? null))?.record ?? now;
  }
  if (last !== undefined)
    context
      .judge(last, "*.webhooks.redelivered")
      .satisfies(false, "another request to the receiver, as when it was sent again before", "none came");
  return undefined;
}

/**
 * Sends a delivery again that was sent again before, where the target does so, and judges that it comes, and that its record
 * says so once more.
 *
 * @param sent as it was before it was sent again for the first time
 * @param record as it is now
 */
export async function judgeSecond(
  context: CaseContext,
  endpoint: Subject,
  sent: SentAgain,
  record: JsonObject,
): Promise<void> {
  const { judge, poll, row, target } = context;
  const { id, list } = deliveryFields(context);
  // Whether attempts are counted anew for each redelivery is not shown.
  const first = attemptsIn(record) - attemptsIn(sent.record) - since(context, sent).length;
  const second = await sendSecond(context, endpoint, sent, record);
  if (second === undefined) return;
  const { reply, own, before, counted } = second;
  judge(reply, "*.webhooks.redelivery").satisfies(
    sameJson(recordIn(reply).eventId, record.eventId),
    `${showJson(record.eventId)}, the event that was sent again`,
    showJson(recordIn(reply).eventId),
    `${row.record?.name}.eventId`,
  );
  if (!sameJson(recordIn(reply)[id], record[id])) return;
  const isCounted = (now: JsonObject) => first < 0 || attemptsIn(now) > counted;
  let listed: Omit<Recorded, "others"> | undefined;
  await pollForDelivery(context, async () => {
    listed = (await listedNow(context, endpoint, record[id] ?? null)) ?? listed;
    const isTold = listed?.record.state === delivered && !isDefault(listed.record.deliveredAt);
    return isTold && listed !== undefined && isCounted(listed.record) ? true : undefined;
  });
  if (listed === undefined) return;
  const { record: now } = listed;
  const judged = judge(reply, "*.webhooks.records", [listed.reply]);
  judged.satisfies(
    now.state === delivered,
    `${delivered} in the end, as the receiver answered 200 again`,
    showJson(now.state),
    `${list}[].state`,
  );
  judged.satisfies(
    sameJson(now.eventId, record.eventId),
    `${showJson(record.eventId)}, the event that was sent again`,
    showJson(now.eventId),
    `${list}[].eventId`,
  );
  if (now.state === delivered) judgeDated(context, reply, record, { now, related: [listed.reply], at: `${list}[]` });
  if (first < 0 || !isSettled(now)) return;
  judged.satisfies(
    attemptsIn(now) > counted,
    `more than ${counted}, as another attempt was made and counts were added up before`,
    `${attemptsIn(now)}`,
    `${list}[].attemptCount`,
  );
  // One attempt may be lost on its way and is rightly counted, but hardly each time.
  const more = attemptsIn(now) - counted;
  if (first > 0) await poll(async () => (own() - before >= more ? true : undefined), target.settings.patience.quietMs);
  const sentNow = own() - before;
  judged.satisfies(
    first <= 0 || more <= sentNow,
    `${counted + sentNow}, as the receiver got ${sentNow} more than when ${counted} were counted`,
    `${attemptsIn(now)}, and the redelivery before was counted so, too`,
    `${list}[].attemptCount`,
  );
}
