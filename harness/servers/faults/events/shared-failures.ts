import type { Message } from "@bufbuild/protobuf";
import {
  type WebhookDelivery as AlphaDelivery,
  WebhookDeliveryState as AlphaState,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { type WebhookDelivery, WebhookDeliveryState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Lists deliveries as `show` has them, given all of their tenant. */
const listing = (show: (delivery: Message, all: readonly Message[]) => object) =>
  wrapping((next) => async (context: Context, request) => {
    const reply = (await next(context, request)) as Message;
    const list = context.row.list?.field.localName ?? "";
    const all = context.world.tables.webhook_delivery?.entries(tenantKey(context.tenant)) ?? [];
    const records = all.map(({ record }) => record);
    const page = readField(reply, list) as readonly Message[];
    return Object.assign(reply, { [list]: page.map((one) => ({ ...one, ...show(one, records) })) });
  });

const eventOf = (delivery: Message) => idText(readField(delivery, "eventId") as { value: string });

/** Whether some delivery of the same event, to whichever endpoint, is in a state. */
const hasSame = (delivery: Message, all: readonly Message[], state: AlphaState | WebhookDeliveryState) =>
  all.some((one) => eventOf(one) === eventOf(delivery) && readField(one, "state") === state);

const says = "shows every delivery of an event as failed where one to any endpoint has failed";

/** What became of one delivery is told of those of the same event to other endpoints. */
export const sharedFailures: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", {
    "*.webhooks.records": {
      "ListWebhookDeliveries-failure-for-the-whole-event": [
        says,
        listing((one, all) => (hasSame(one, all, AlphaState.FAILED) ? { state: AlphaState.FAILED } : {})),
      ],
      "ListWebhookDeliveries-status-for-the-whole-event": [
        "shows the status that any endpoint answered last for every delivery of the event",
        listing((one, all) => {
          const last = (all as AlphaDelivery[]).findLast((other) => eventOf(other) === eventOf(one));
          return { lastStatusCode: last?.lastStatusCode ?? (one as AlphaDelivery).lastStatusCode };
        }),
      ],
    },
  }),
  ...faultsOf("events", "beta.v1", {
    "*.webhooks.records": {
      "ListWebhookDeliveries-failure-for-the-whole-event": [
        says,
        listing((one, all) =>
          hasSame(one as WebhookDelivery, all, WebhookDeliveryState.FAILED)
            ? { state: WebhookDeliveryState.FAILED }
            : {},
        ),
      ],
    },
  }),
];
