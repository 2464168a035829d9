import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { RunScript } from "../../harness/setup/beta/run.ts";
import { needed } from "../../harness/target/target.ts";
import { type EventType, subscribe, triggerEvent, untilDelivered } from "./event-types.ts";

/** Types of which no change of a run has two, in the order in which an endpoint subscribes to them. */
const wanted: readonly (readonly [type: EventType, script: RunScript])[] = [
  ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED", "complete"],
  ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "fail"],
  ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", "unknown"],
];

/** Those that an input brings about; throws NotExercised where there are not two. */
function triggersOf({ target: { beta } }: CaseContext): typeof wanted {
  for (const script of ["complete", "fail"] as const)
    needed(beta.inputs[script], `beta.inputs.${script}`, "only an input brings about an event of a type");
  return wanted.filter(([, script]) => beta.inputs[script] !== undefined);
}

export const severalTypes = defineCase({
  id: "events/endpoint-of-several-types-hears-of-each",
  says: "an endpoint that subscribes to several types gets events of each of them",
  clauses: ["beta.webhooks.delivered"],
  rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
  async run(context) {
    const { judge } = context;
    const triggers = triggersOf(context);
    const eventTypes = triggers.map(([type]) => type);
    const subscriber = await subscribe(context, eventTypes);
    const events = await Promise.all(
      triggers.map(async ([type, script]) => ({ type, about: await triggerEvent(context, type, script) })),
    );
    for (const { type, about } of events) {
      const { record, reply, records } = await untilDelivered(context, subscriber, about);
      judge(subscriber.created, undefined, reply === undefined ? [] : [reply]).satisfies(
        record !== undefined,
        `a delivery of ${type}, as of the other types of ${eventTypes.length} it subscribes to`,
        `${records.length} deliveries, none about it`,
      );
    }
  },
});
