import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { fewestAttempts } from "../../harness/setup/delivery-attempts.ts";
import { deliveryFields, type Recorded } from "../../harness/setup/delivery-record.ts";
import { requestsOf } from "../../harness/setup/webhook-arrival.ts";
import type { Delivered, Hook } from "../../harness/webhooks/receiver.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** A delivery about some work to a hook, as its record was before it was sent again. */
export interface SentAgain {
  readonly hook: Hook;
  readonly work: Subject;
  readonly record: JsonObject;
  /** Requests about the work that had come by then. */
  readonly came: number;
}

export const attemptsIn = (record: JsonObject) => Number(record.attemptCount ?? 0);

/** Requests of a delivery since it was sent again. */
export const since = (context: CaseContext, { hook, work, record, came }: SentAgain) =>
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
