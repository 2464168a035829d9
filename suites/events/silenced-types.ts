import { defineCase } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { mentions } from "../../harness/setup/webhook-arrival.ts";
import { callOnEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { textAt } from "../../harness/wire/json.ts";
import { inIds, subscribe, triggerEvent, triggers, untilDelivered } from "./event-types.ts";

/** What other rules tell by: a run that succeeds. */
const told = ["WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED", "WEBHOOK_EVENT_TYPE_RUN_COMPLETED"];

export const silencedTypes = triggers
  .filter(([type]) => !told.includes(type))
  .map(([type, script]) =>
    defineCase({
      id: `events/silenced-endpoints-hear-of-no-${inIds(type)}`,
      says: "an endpoint that was deleted, and one that is disabled, receives no event of a type it subscribes to, while another endpoint does",
      clauses: ["beta.webhooks.disabled"],
      rpc: "beta.v1.WebhookService/DeleteWebhookEndpoint",
      async run(context) {
        const { judge, needs, poll, setup, target } = context;
        const [control, gone, off] = await Promise.all([1, 2, 3].map(() => subscribe(context, [type])));
        if (control === undefined || gone === undefined || off === undefined) return;
        const deleted = await callOnEndpoint(context, await setup.deletable(gone.endpoint));
        const disabled = await updateEndpoint(context, off.endpoint, { enabled: false });
        for (const reply of [deleted, disabled]) needs(reply);
        const about = await triggerEvent(context, type, script);
        const { record } = await untilDelivered(context, control, about);
        if (record === undefined || control.hook.delivered.length === 0)
          throw new Unproven("needs a delivery to an enabled endpoint, the positive control");
        const texts = [...about, record.eventId ?? null].map((id) => textAt({ id }, "id.value"));
        const ids = texts.filter((text) => text !== "");
        const isAbout = (request: Delivered) => mentions(request, ids);
        if (!control.hook.delivered.some(isAbout))
          throw new ChosenOtherwise("the requests to an endpoint do not say what they are about");
        for (const [{ hook }, reply] of [
          [gone, deleted],
          [off, disabled],
        ] as const) {
          const came = () => hook.delivered.filter(isAbout).length;
          await poll(async () => (came() > 0 ? true : undefined), target.settings.patience.quietMs);
          judge(reply).satisfies(came() === 0, `no delivery of ${type} any more`, `${came()} came`);
        }
      },
    }),
  );
