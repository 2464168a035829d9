import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { isSignedBy, recogniseSignature } from "../../harness/oracles/signature.ts";
import { deliveryFields, deliveryOf } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { instantOf, mayBeCoarse, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { listsDeliveries } from "./deliveries.ts";
import { judgeUnlisted } from "./unlisted.ts";

const delivered = "WEBHOOK_DELIVERY_STATE_DELIVERED";

/** Milliseconds after which two times of such a form are told to be two: those of whole seconds may be equal within one. */
const leastApartMs = (time: JsonValue | undefined): number => (mayBeCoarse(time) ? 2000 : 20);

/** Judges that the attempt that was taken is signed as the first one was, where that shows how it is. */
function judgeSignedAgain({ judge }: CaseContext, created: Reply, own: readonly Delivered[], secret: string): void {
  const [first, taken] = [own[0], own.find(({ answered }) => answered === 200)];
  const scheme = first && recogniseSignature(first, secret);
  if (scheme === undefined || taken === undefined) return;
  judge(created, "*.webhooks.signed").satisfies(
    isSignedBy(taken, scheme, secret),
    "an attempt after the first is signed with the endpoint's secret, as the first was",
    "it is signed otherwise",
  );
}

export const takenLater = defineRule({
  id: "events/delivery-taken-at-a-later-attempt-is-recorded-as-delivered",
  says: "a delivery whose first attempt the receiver answers with 500, and a later one with 200, is recorded as delivered, and not at the time it was made, and signed both times",
  clauses: ["*.webhooks.records", "*.webhooks.signed", "*.filters.complete"],
  rows: listsDeliveries,
  async run(context) {
    const { judge, observe } = context;
    const hook = await openHook(context, { status: 500 });
    const { reply: created, endpoint: made, secret } = await createEndpoint(context, hook.url);
    const endpoint = await enable(context, made);
    const work = await finishedWork(context);
    const first = await untilRecorded(context, hook, endpoint, work, () => true);
    if (first === undefined) return judgeUnlisted(context, hook, endpoint, work);
    // Of one run there may be several deliveries: those of another say nothing of this one.
    const own = () => hook.delivered.filter((request) => mentions(request, idsOf(context, first.record)));
    await pollForDelivery(context, async () => (own().length > 0 ? true : undefined));
    // Whether requests name what they are about, and whether one is sent again, is not shown.
    if (own().length === 0) throw new ChosenOtherwise("no request names its delivery or its event");
    await hook.answerWith({ status: 200 });
    const isTaken = () => own().some(({ answered }) => answered === 200);
    await pollForDelivery(context, async () => (isTaken() ? true : undefined));
    if (!isTaken()) {
      observe("*.open.webhook-retries", "a delivery that was answered with 500 is not tried again within patience");
      throw new ChosenOtherwise("no attempt follows the first within patience");
    }
    judgeSignedAgain(context, created, own(), secret);
    const { id, list, names } = deliveryFields(context);
    let last = first;
    await pollForDelivery(context, async () => {
      const now = await deliveryOf(context, endpoint, work);
      if (now === undefined || !sameJson(now.record[id], first.record[id])) return undefined;
      last = now;
      return isSettled(last.record) ? true : undefined;
    });
    judge(last.reply, undefined, [first.reply]).satisfies(
      last.record.state === delivered,
      "a delivery that is delivered, as the receiver answered 200 in the end",
      showJson(last.record.state),
      `${list}[].state`,
    );
    if (last.record.state !== delivered || !names.includes("deliveredAt")) return;
    const { createdAt, deliveredAt } = last.record;
    const taken = own().find(({ answered }) => answered === 200);
    const laterMs = (taken?.at ?? 0) - (own()[0]?.at ?? 0);
    judge(last.reply, undefined, [first.reply]).satisfies(
      laterMs < leastApartMs(deliveredAt) || instantOf(deliveredAt) !== instantOf(createdAt),
      `another time than ${showJson(createdAt)}, as the receiver took it ${laterMs} ms after the first attempt`,
      showJson(deliveredAt),
      `${list}[].deliveredAt`,
    );
  },
});
