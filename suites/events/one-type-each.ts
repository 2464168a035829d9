import { defineCase } from "../../harness/case/case.ts";
import { listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { subscribe, triggerEvent, triggers, untilDelivered } from "./event-types.ts";

export const oneTypeEach = defineCase({
  id: "events/endpoints-of-one-type-hear-of-no-other",
  says: "of endpoints that subscribe to one type each none gets an event of another's, while runs bring about events of all of them",
  clauses: ["beta.webhooks.event-types"],
  rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
  async run(context) {
    const { judge, target, signal } = context;
    const provided = triggers.filter(([, script]) => target.beta.inputs[script] !== undefined);
    if (provided.length < 2) throw new ChosenOtherwise("the target file has no inputs for events of two types");
    const subscribers = await Promise.all(
      provided.map(async ([type, script]) => {
        return { type, script, listener: await subscribe(context, [type]) };
      }),
    );
    await Promise.all(
      subscribers.map(async ({ type, script, listener }) => {
        const about = await triggerEvent(context, type, script);
        await untilDelivered(context, listener, about);
      }),
    );
    // What is told wrongly may come later than what is told to the right one.
    await sleep(target.settings.patience.quietMs, signal);
    let heard = 0;
    for (const { type, listener } of subscribers) {
      const { records, replies } = await listDeliveriesOf(context, listener.endpoint);
      const own = records.filter(({ webhookEndpointId }) => sameJson(webhookEndpointId, listener.endpoint.id));
      const foreign = own.find(({ eventType }) => !isDefault(eventType) && eventType !== type);
      heard += own.length;
      const last = replies.at(-1);
      if (last !== undefined)
        judge(listener.created, undefined, [last]).satisfies(
          foreign === undefined,
          `only ${type}`,
          showJson(foreign ?? null),
        );
    }
    if (heard === 0) throw new ChosenOtherwise("nothing is told of such runs");
  },
});
