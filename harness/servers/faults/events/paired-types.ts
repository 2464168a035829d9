import { WebhookEventType, WebhookEventTypeSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Tells enabled endpoints that subscribe to one type of events of another, too. */
const hearingToo = (subscribed: WebhookEventType, told: WebhookEventType): BetaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, event) {
      const right = subscribers(world, event);
      if (event.type !== told) return right;
      const { appId, workspaceId } = event.run;
      const further = world.tables.webhook_endpoint
        .entries(idText(workspaceId))
        .filter(({ deleted, record }) => !deleted && record.enabled && idText(record.appId) === idText(appId))
        .map(({ record }) => record)
        .filter((record) => record.eventTypes.includes(subscribed) && !right.includes(record));
      return [...right, ...further];
    },
  }),
});

const types = WebhookEventTypeSchema.values.filter(({ number }) => number !== WebhookEventType.UNSPECIFIED);
const nameOf = (localName: string) => localName.toLowerCase().replaceAll("_", "-");

/** Each type with the two that are declared after it: subscriptions to one bring the other as well. */
export const pairedTypes: readonly Fault[] = [1, 2].flatMap((after) =>
  types.flatMap((type, index) => {
    const other = types[(index + after) % types.length] ?? type;
    const id = `CreateWebhookEndpoint-${nameOf(type.localName)}-hears-of-${nameOf(other.localName)}`;
    const says = `tells endpoints that subscribe to ${type.localName} of ${other.localName}, too`;
    return faultsOf("events", "beta.v1", {
      "*.webhooks.event-types": { [id]: [says, hearingToo(type.number, other.number)] },
    });
  }),
);
