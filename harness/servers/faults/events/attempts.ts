import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { World } from "../../reference/core/context.ts";
import { inObject } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { isIn } from "../lifecycle/states.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { without } from "../values.ts";
import { inRecords } from "./deliveries.ts";
import { tellingAllEverMade } from "./endpoints.ts";

/** The delivery records of a listing, changed where they are in a state. */
const inState = (state: string, edit: (record: JsonObject) => JsonObject) =>
  inRecords((record) => (isIn(state)(record) ? edit(record) : record));

const asPending = (record: JsonObject) => ({ ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" });

/** Shows what was over once as pending again, from the second time on. */
const backToPending = (state: string) => (row: RpcRow) => {
  const key = row.package === "alpha.v1" ? "id" : "webhookDeliveryId";
  const seen = new Set<string>();
  return inObject(`${row.list?.name}[]`, (record) => {
    if (!isIn(state)(record)) return record;
    const id = JSON.stringify(record[key]);
    if (seen.has(id)) return asPending(record);
    seen.add(id);
    return record;
  })(row);
};

/** Leaves out of a listing what is in a state once it was attempted. */
const hiding = (state: string) => (row: RpcRow) =>
  inObject(`${row.list?.name}[]`, (record) =>
    isIn(state)(record) && Number(record.attemptCount ?? 0) > 0 ? undefined : record,
  )(row);

/** The same where an attempt is followed by another so much later that nobody sees it. */
const hidingRetries = (row: RpcRow) => ({ ...hiding("PENDING")(row), choices: { deliveryPausesMs: [3_600_000] } });

type DeliveringWorld = World & { readonly deliveries: object };

/** An endpoint is silenced, and what waits to go there goes on waiting. */
function keepingRetries(row: RpcRow): EitherDecoration {
  const wraps = wrapping((next) => (context, request) => {
    const world = context.world as DeliveringWorld;
    const deliveries = { ...world.deliveries, cancel() {} };
    return next({ ...context, world: { ...world, deliveries } } as typeof context, request);
  });
  // To those who were silenced nothing new is sent.
  const told = tellingAllEverMade(() => false)(row);
  const own = wraps(row);
  return { ...told, ...own, handlers: { ...told.handlers, ...own.handlers } };
}

/** What both packages may get wrong about attempts. */
const attempts = {
  "*.records.agree": {
    "ListWebhookDeliveries-retries-at-one-version": [
      "shows every attempt of a delivery that is pending at its first version",
      inState("PENDING", (record) => ({ ...record, resourceVersion: "1" })),
    ],
  },
  "*.webhooks.settled": {
    "ListWebhookDeliveries-failed-and-pending": ["shows what was given up as pending again", backToPending("FAILED")],
  },
  "*.filters.complete": {
    "ListWebhookDeliveries-hides-retrying": ["lists no delivery that waits for another attempt", hidingRetries],
    "ListWebhookDeliveries-hides-failed": ["lists no delivery that was given up", hiding("FAILED")],
    "ListWebhookDeliveries-hides-canceled": [
      "lists no delivery that was attempted and then canceled with its endpoint",
      hiding("CANCELED"),
    ],
  },
  "*.webhooks.disabled": {
    "DeleteWebhookEndpoint-retries-go-on": ["goes on with the retries of a deleted endpoint", keepingRetries],
    "UpdateWebhookEndpoint-retries-go-on": ["goes on with the retries of a disabled endpoint", keepingRetries],
  },
} as const;

/** What is given up is said to have been delivered. */
const takenForDelivered = {
  "ListWebhookDeliveries-given-up-as-delivered": [
    "shows what was given up as delivered",
    inState("FAILED", (record) => ({ ...record, state: "WEBHOOK_DELIVERY_STATE_DELIVERED" })),
  ],
} as const;

export const attemptFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", {
    ...attempts,
    "*.webhooks.records": {
      ...takenForDelivered,
      "ListWebhookDeliveries-failed-without-status": [
        "does not say what was answered to a delivery that was given up",
        inState("FAILED", (record) => without(record, "lastStatusCode")),
      ],
      "ListWebhookDeliveries-failed-and-dated": [
        "dates a delivery that was given up",
        inState("FAILED", (record) => ({ ...record, deliveredAt: record.createdAt ?? "" })),
      ],
    },
  }),
  ...faultsOf("events", "beta.v1", {
    ...attempts,
    "*.webhooks.records": {
      ...takenForDelivered,
      "ListWebhookDeliveries-failed-and-dated": [
        "dates a delivery that was given up",
        inState("FAILED", (record) => ({ ...record, deliveredAt: record.createdAt ?? "" })),
      ],
      "ListWebhookDeliveries-failed-of-no-attempt": [
        "counts no attempt of a delivery that was given up",
        inState("FAILED", (record) => without(record, "attemptCount")),
      ],
    },
  }),
];
