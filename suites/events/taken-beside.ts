import type { JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { deliveryFields } from "../../harness/setup/delivery-record.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { type Listener, listen } from "./listener.ts";

/** What the receiver answers that takes what is sent to it. */
const taken = 200;

/** An endpoint whose receiver takes what is sent to it, beside one whose receiver does not. */
export const listenBeside = (context: CaseContext): Promise<Listener> => listen(context, { answer: { status: taken } });

/** Judges that the delivery of some work to that endpoint is recorded as delivered, while that of the same work to another was given up. */
export async function judgeTaken(context: CaseContext, { hook, endpoint }: Listener, work: Subject): Promise<void> {
  const found = await untilRecorded(context, hook, endpoint, work, isSettled);
  // Whether it waits for those that fail is open.
  if (found === undefined || hook.delivered.length === 0) return;
  const { list, names } = deliveryFields(context);
  const shows = (field: string, expected: JsonValue) =>
    names.includes(field) &&
    context
      .judge(found.reply, "*.webhooks.records")
      .satisfies(
        sameJson(found.record[field], expected),
        `${showJson(expected)}, as this receiver answered ${taken}; another one did not take what it got about the same`,
        showJson(found.record[field]),
        `${list}[].${field}`,
      );
  shows("state", "WEBHOOK_DELIVERY_STATE_DELIVERED");
  shows("lastStatusCode", taken);
}
