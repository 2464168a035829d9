import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { fewestAttempts } from "../../harness/setup/delivery-attempts.ts";
import { deliveryFields, listDeliveriesOf, type Recorded } from "../../harness/setup/delivery-record.ts";
import { redeliver } from "../../harness/setup/redeliverable.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import type { Delivered, Hook } from "../../harness/webhooks/receiver.ts";
import { sameJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";

/** A delivery about some work to a hook, as its record was before it was sent again. */
interface SentAgain {
  readonly hook: Hook;
  readonly work: Subject;
  readonly record: JsonObject;
  /** Requests about the work that had come by then. */
  readonly came: number;
}

const attemptsIn = (record: JsonObject) => Number(record.attemptCount ?? 0);

/** Requests of a delivery since it was sent again. */
const since = (context: CaseContext, { hook, work, record, came }: SentAgain) =>
  requestsOf(context, hook, work, record).slice(came);

/**
 * Judges that a delivery's record counts what came since it was sent again: added to what it counted before, or counted anew.
 * One attempt may be lost on its way and is rightly counted, too.
 *
 * @param look shows the record as it is now
 */
export async function judgeCounted(
  context: CaseContext,
  reply: Reply,
  sent: SentAgain,
  look: () => Promise<Recorded | undefined>,
): Promise<void> {
  const { judge, poll, target } = context;
  // Where requests do not name what they are about, they cannot be told from others.
  if (sent.came === 0) return;
  const before = attemptsIn(sent.record);
  const isRight = (count: number, came: readonly Delivered[]) => {
    const least = fewestAttempts(came);
    return count >= before + least || (count >= least && count <= came.length + 1);
  };
  let last: Recorded | undefined;
  await poll(async () => {
    last = (await look()) ?? last;
    return isRight(attemptsIn(last?.record ?? {}), since(context, sent)) ? true : undefined;
  }, target.settings.patience.quietMs);
  if (last === undefined || last.others > 0) return;
  const [count, came] = [attemptsIn(last.record), since(context, sent)];
  judge(reply, "*.webhooks.records", [last.reply]).satisfies(
    isRight(count, came),
    `${before + came.length}, as the receiver counted in all, or ${came.length}, as since it was sent again`,
    `${count}`,
    `${deliveryFields(context).list}[].attemptCount`,
  );
}

/**
 * Sends a delivery again that was sent again before, where the target does so, and judges that what came is counted once more.
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
  const { judge, poll, target } = context;
  const { id, list } = deliveryFields(context);
  // Whether attempts are counted anew for each redelivery is not shown: these were added to those before.
  const counted = attemptsIn(record);
  const first = counted - attemptsIn(sent.record) - since(context, sent).length;
  if (sent.came === 0 || first < 0) return;
  const own = () => requestsOf(context, sent.hook, sent.work, record).length;
  const before = own();
  const reply = await redeliver(context, { endpoint, record });
  if (reply.outcome !== "served" || !sameJson(recordIn(reply)[id], record[id])) return;
  const came = await pollForDelivery(context, async () => (own() > before ? true : undefined));
  if (came === undefined) return;
  let now: JsonObject | undefined;
  await pollForDelivery(context, async () => {
    const { records } = await listDeliveriesOf(context, endpoint);
    now = records.find((one) => sameJson(one[id], record[id]));
    return now !== undefined && isSettled(now) && attemptsIn(now) > counted ? true : undefined;
  });
  if (now === undefined || !isSettled(now)) return;
  judge(reply, "*.webhooks.records").satisfies(
    attemptsIn(now) > counted,
    `more than ${counted}, as another attempt was made and counts were added up before`,
    `${attemptsIn(now)}`,
    `${list}[].attemptCount`,
  );
  // One attempt may be lost on its way and is rightly counted, but hardly each time.
  const more = attemptsIn(now) - counted;
  if (first > 0) await poll(async () => (own() - before >= more ? true : undefined), target.settings.patience.quietMs);
  const sentNow = own() - before;
  judge(reply, "*.webhooks.records").satisfies(
    first <= 0 || more <= sentNow,
    `${counted + sentNow}, as the receiver got ${sentNow} more than when ${counted} were counted`,
    `${attemptsIn(now)}, and the redelivery before was counted so, too`,
    `${list}[].attemptCount`,
  );
}
