import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { listDeliveriesOf, type Recorded, recordedIn } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { isDefault, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { listsDeliveries } from "./deliveries.ts";

/** Ids of a request that are looked up at most, so that who sends many of them is not flooded. */
const maxLooks = 6;

const anId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Every id that a request to a hook holds. */
function idsIn({ body, headers }: Delivered): readonly string[] {
  const text = `${Buffer.from(body).toString("utf8")}\n${JSON.stringify(headers)}`.toLowerCase();
  return [...new Set(text.match(anId) ?? [])];
}

/** Other work of the kind that a request names beside the work it is about. */
async function otherWorkIn(context: CaseContext, work: Subject, request: Delivered): Promise<Subject | undefined> {
  const own = textAt(work.id, "value").toLowerCase();
  const ids = idsIn(request).filter((id) => id !== own);
  for (const value of ids.slice(0, maxLooks)) {
    const other = { ...work, id: { value } };
    const { outcome } = await context.setup.read(other);
    if (outcome === "served") return other;
  }
  return undefined;
}

/** Whether a request is of a delivery: it may tell of several at a time. */
const isOf = (context: CaseContext, request: Delivered, record: JsonObject | undefined) =>
  record !== undefined && mentions(request, idsOf(context, record));

/** Judges that deliveries of different work, which requests of their own told of, name events of their own. */
function judgeEvents({ judge }: CaseContext, told: readonly Recorded[]): void {
  const [first, second] = told;
  if (first === undefined || second === undefined) return;
  judge(second.reply, "*.webhooks.records", [first.reply]).satisfies(
    isDefault(second.record.eventId) || !sameJson(second.record.eventId, first.record.eventId),
    "an event of its own, as it is about other work and told of by itself",
    `${showJson(second.record.eventId)}, as the delivery of other work names`,
    "eventId",
  );
}

export const ownWork = defineRule({
  id: "events/deliveries-tell-of-their-own-work",
  says: "of jobs or runs that end at about the same time, the delivery of one names no other, nor the event of another",
  clauses: ["*.webhooks.records"],
  rows: listsDeliveries,
  async run(context) {
    const { judge } = context;
    const hook = await openHook(context);
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const works = await Promise.all([finishedWork(context), finishedWork(context)]);
    const told: Recorded[] = [];
    let looked = 0;
    for (const work of works) {
      const settled = await untilRecorded(context, hook, endpoint, work, isSettled);
      if (settled === undefined) throw new Unproven("needs a settled delivery of finished work");
      let isAlone = false;
      // What a body holds is not shown.
      for (const request of requestsOf(context, hook, work, settled.record).slice(0, 2)) {
        looked += 1;
        const other = await otherWorkIn(context, work, request);
        isAlone ||= other === undefined;
        const listed = other && recordedIn(context, await listDeliveriesOf(context, endpoint), other);
        const held = other === undefined || isOf(context, request, listed?.record);
        judge(settled.reply).satisfies(
          held,
          `a request that names ${textAt(work.id, "value")}, as its record does`,
          `it names ${textAt(other?.id ?? {}, "value")}, too, of which no delivery that it names tells`,
        );
      }
      if (isAlone) told.push(settled);
    }
    judgeEvents(context, told);
    if (looked === 0) throw new ChosenOtherwise("requests do not say what they are about");
  },
});
