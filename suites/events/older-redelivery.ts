import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { redeliver, redelivered } from "../../harness/setup/redeliverable.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { idsOf, mentions, requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork, settledDelivery } from "../../harness/setup/webhook-delivery.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { Change } from "../../proto/rpcs.ts";

/** Whether the body alone names some work. */
const tellsOf = (work: Subject, { body }: Delivered) =>
  Buffer.from(body).toString().toLowerCase().includes(textAt(work.id, "value").toLowerCase());

export const older = defineRule({
  id: "events/redelivery-of-the-older-delivery-tells-of-its-work",
  says: "of two deliveries to one endpoint the older one, sent again, tells of the work that it told of before",
  clauses: ["*.webhooks.records"],
  rows: ({ change }) => change === Change.REDELIVERS,
  async run(context) {
    const { judge, needs } = context;
    if ((await redelivered(context)) !== "delivered") throw new ChosenOtherwise("what was delivered is not sent again");
    const first = await settledDelivery(context);
    const { hook, endpoint, work, record } = first;
    const told = requestsOf(context, hook, work, record);
    // What a request holds is not shown: where its body and its headers name what it is about, they can be compared.
    const headersName = (request: Delivered, ...records: readonly JsonObject[]) =>
      mentions(
        { ...request, body: new Uint8Array() },
        records.flatMap((one) => idsOf(context, one)),
      );
    if (!told.some((request) => tellsOf(work, request) && headersName(request, record)))
      throw new ChosenOtherwise("requests do not say both in body and headers what they are about");
    const later = await finishedWork(context);
    if ((await untilRecorded(context, hook, endpoint, later, isSettled)) === undefined)
      throw new Unproven("needs a second delivery to the endpoint");
    const before = hook.delivered.length;
    const reply = await redeliver(context, first);
    needs(reply);
    // It may be a record of its own, by whose ids it goes.
    const isAgain = (request: Delivered) => headersName(request, record, recordIn(reply));
    const again = await pollForDelivery(context, async () => hook.delivered.slice(before).find(isAgain));
    // Whether one comes at all is judged by another case.
    if (again === undefined) throw new ChosenOtherwise("no redelivery came that says in its headers what it is about");
    judge(reply).satisfies(
      tellsOf(work, again),
      "a body that tells of the work that the delivery is about",
      tellsOf(later, again) ? "the body tells of work that finished later" : "the body does not name it any more",
    );
  },
});
