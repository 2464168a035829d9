import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { callOnEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { find, subscribe, triggerEvent, untilDelivered } from "./event-types.ts";
import type { Listener } from "./listener.ts";

const [failed, completed] = ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "WEBHOOK_EVENT_TYPE_RUN_COMPLETED"] as const;

/** What an endpoint subscribes to anew: of several types neither the first nor the last is the one that is looked for. */
const resubscribedTo = ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", completed, "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED"];

export const changed = defineCase({
  id: "events/changed-event-types-take-effect",
  says: "an endpoint whose event types were changed receives events of the new types, and none of the old",
  clauses: ["beta.webhooks.delivered", "beta.webhooks.event-types"],
  rpc: "beta.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    const { judge, needs } = context;
    const [resubscribed, unsubscribed] = await Promise.all([
      subscribe(context, [failed]),
      subscribe(context, [completed, failed]),
    ]);
    // Whoever keeps subscriptions at hand may look them up once there is something to tell.
    const before = await triggerEvent(context, failed, "fail");
    await Promise.all([resubscribed, unsubscribed].map((one) => untilDelivered(context, one, before)));
    const [on, off] = await Promise.all([
      updateEndpoint(context, resubscribed.endpoint, { eventTypes: resubscribedTo }),
      updateEndpoint(context, unsubscribed.endpoint, { eventTypes: [failed] }),
    ]);
    for (const reply of [on, off]) needs(reply);
    const about = await triggerEvent(context, completed, "complete");
    const { record, records } = await untilDelivered(context, resubscribed, about);
    judge(on, "*.webhooks.delivered").satisfies(
      record !== undefined,
      `a delivery of ${completed}, which it subscribes to now`,
      `${records.length} deliveries, none about it`,
    );
    if (record !== undefined) await judgeNothingReceived(context, unsubscribed, about, off);
    judge(on, "*.versioning.advances").satisfies(
      versionOf(recordIn(on)) !== resubscribed.endpoint.version,
      "another version than before",
      versionOf(recordIn(on)),
    );
  },
});

/** Judges that an endpoint that no longer subscribes received nothing about an event. */
async function judgeNothingReceived(
  context: CaseContext,
  unsubscribed: Listener,
  about: readonly JsonValue[],
  update: Reply,
) {
  const { judge, target } = context;
  let found = await find(context, unsubscribed, about);
  await context.poll(async () => {
    if (found.record !== undefined) return true;
    found = await find(context, unsubscribed, about);
    return undefined;
  }, target.settings.patience.quietMs);
  judge(update, "*.webhooks.event-types").satisfies(
    found.record === undefined,
    "nothing of a type it does not subscribe to",
    showJson(found.record ?? null),
  );
}

const inWebhooks = "beta.v1.WebhookService";

/** A change of an endpoint that leaves its types of events, by what is said of the endpoint then. */
interface Change {
  readonly what: string;
  readonly says: string;
  readonly rpc: string;
  change(context: CaseContext, listener: Listener): Promise<Reply>;
}

const changes: readonly Change[] = [
  {
    what: "enabled-again",
    says: "that was disabled and enabled again",
    rpc: `${inWebhooks}/UpdateWebhookEndpoint`,
    async change(context, { endpoint }) {
      const off = await updateEndpoint(context, endpoint, { enabled: false });
      context.needs(off);
      const { baseUrl } = endpoint;
      return updateEndpoint(context, { ...context.setup.subjectIn(off), baseUrl }, { enabled: true });
    },
  },
  {
    what: "of-another-url",
    says: "that has another url",
    rpc: `${inWebhooks}/UpdateWebhookEndpoint`,
    change: (context, { endpoint, hook }) => updateEndpoint(context, endpoint, { url: `${hook.url}?other` }),
  },
  {
    what: "of-a-rotated-secret",
    says: "of which the signing secret was rotated",
    rpc: `${inWebhooks}/RotateWebhookSecret`,
    change: (context, { endpoint }) => callOnEndpoint(context, endpoint),
  },
];

export const changedOtherwise = changes.map(({ what, says, rpc, change }) =>
  defineCase({
    id: `events/endpoint-${what}-hears-of-its-own-types`,
    says: `an endpoint ${says} receives events of the types it subscribes to, and of no other`,
    clauses: ["beta.webhooks.event-types", "beta.webhooks.delivered"],
    rpc,
    async run(context) {
      const { judge, needs } = context;
      const [subscriber, control] = await Promise.all([subscribe(context, [failed]), subscribe(context, [completed])]);
      const reply = await change(context, subscriber);
      needs(reply);
      const about = await triggerEvent(context, completed, "complete");
      const { record } = await untilDelivered(context, control, about);
      if (record === undefined) throw new Unproven("needs a delivery to another endpoint, the positive control");
      await judgeNothingReceived(context, subscriber, about, reply);
      const own = await triggerEvent(context, failed, "fail");
      const heard = await untilDelivered(context, subscriber, own);
      judge(reply, "*.webhooks.delivered").satisfies(
        heard.record !== undefined,
        `a delivery of ${failed}, which it subscribes to`,
        `${heard.records.length} deliveries, none about it`,
      );
    },
  }),
);
