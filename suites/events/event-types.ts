import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { eventTypes } from "../../harness/setup/beta/event-types.ts";
import { type RunScript, startRun } from "../../harness/setup/beta/run.ts";
import { listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions } from "../../harness/setup/webhook-arrival.ts";
import { createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { settle } from "../../harness/setup/work.ts";
import { isDefault, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { type Elsewhere, judgeNothingElsewhere, listenElsewhere } from "./elsewhere.ts";
import { type Listener, listen } from "./listener.ts";

export type EventType = (typeof eventTypes)[number];

/** The run that triggers an event of each type. */
export const triggers: readonly (readonly [type: EventType, script: RunScript])[] = [
  ["WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED", "complete"],
  ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED", "complete"],
  ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "fail"],
  ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", "unknown"],
  ["WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED", "approval"],
];

/** Triggers an event of a type; returns the ids it may be about: the run, its job, the approval it waits for. */
export async function triggerEvent(
  context: CaseContext,
  type: EventType,
  script: RunScript,
): Promise<readonly JsonValue[]> {
  const run = await startRun(context, script);
  const ids = [run.id, run.record.jobId ?? null];
  if (type !== "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED") {
    await settle(context, run);
    return ids;
  }
  return [...ids, (await awaitApproval(context, run)).id];
}

/** Listens for events of these types. */
export const subscribe = (context: CaseContext, types: readonly string[]) =>
  listen(context, { fields: { eventTypes: [...types] } });

export interface Found {
  readonly record: JsonObject | undefined;
  readonly reply: Reply | undefined;
  readonly records: readonly JsonObject[];
}

/** The first delivery of an endpoint about one of these ids, as it is recorded now. */
export async function find(context: CaseContext, { endpoint }: Listener, about: readonly JsonValue[]): Promise<Found> {
  const sought = (one: JsonObject) => about.some((id) => sameJson(one.subjectId, id));
  const { records, replies, ended } = await listDeliveriesOf(context, endpoint, {}, sought);
  // A listing that ignores its filter shows the event's deliveries to other endpoints, too.
  const matches = records.filter(sought);
  const record = matches.find((one) => sameJson(one.webhookEndpointId, endpoint.id)) ?? matches[0];
  if (record === undefined && !ended) throw new Unproven("needs a list of deliveries that comes to its end");
  return { record, reply: replies.at(-1), records };
}

/** The delivery of an event, once it is recorded as delivered. */
export async function untilDelivered(
  context: CaseContext,
  subscriber: Listener,
  about: readonly JsonValue[],
): Promise<Found> {
  let found = await find(context, subscriber, about);
  await pollForDelivery(context, async () => {
    if (textAt(found.record ?? {}, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED") return true;
    found = await find(context, subscriber, about);
    return undefined;
  });
  return found;
}

/** Listens in the other tenant; undefined where the target file names none, or none lets us: a case of its own says so. */
const listenBeyond = (context: CaseContext, type: EventType): Promise<Elsewhere | undefined> =>
  orUndefined(listenElsewhere(context, { eventTypes: [type] }));

/** Judges that a delivery's record says what it is about. */
function judgeRecord(
  { judge }: CaseContext,
  reply: Reply,
  record: JsonObject,
  type: EventType,
  { endpoint }: Listener,
) {
  const shows = (clause: string, field: string, held: boolean, expected: string) =>
    judge(reply, clause).satisfies(held, expected, showJson(record[field]), `webhookDeliveries[].${field}`);
  shows("*.webhooks.links", "eventType", record.eventType === type, type);
  shows("*.webhooks.links", "eventId", !isDefault(record.eventId), "the id of an event");
  shows(
    "*.webhooks.links",
    "webhookEndpointId",
    sameJson(record.webhookEndpointId, endpoint.id),
    showJson(endpoint.id),
  );
  // Left out it is zero, which numbers no version.
  const versioned = (record.eventVersion ?? 0) !== 0;
  shows("*.versioning.event-version", "eventVersion", versioned, "the version of the event");
}

/** Judges that an endpoint that subscribes to other types only received nothing about an event. */
export async function judgeNotDelivered(
  context: CaseContext,
  other: Listener,
  type: EventType,
  delivered: JsonObject,
  created: Reply,
) {
  const { judge, target } = context;
  const ids = [textAt(delivered, "eventId.value")];
  let came = 0;
  await context.poll(async () => {
    came = other.hook.delivered.filter((request) => mentions(request, ids)).length;
    return came > 0 ? came : undefined;
  }, target.settings.patience.quietMs);
  const { records, replies } = await listDeliveriesOf(context, other.endpoint);
  const ofEvent = records.filter((one) => sameJson(one.eventId, delivered.eventId));
  const ofType = records.find((one) => one.eventType === type);
  const foreign = ofType ?? ofEvent.find((one) => isDefault(one.eventType));
  // One change may be told under several types, all by one id: what came is then of a type that is subscribed to.
  const isExplained = ofEvent.length > 0 && foreign === undefined;
  judge(created, "*.webhooks.event-types", replies.slice(-1)).satisfies(
    (came === 0 || isExplained) && foreign === undefined,
    `nothing of ${type}, which it does not subscribe to`,
    foreign === undefined ? `${came} deliveries came` : showJson(foreign),
  );
}

/** A type of event as ids of cases name it: `run-failed`. */
export const inIds = (type: string): string =>
  type.replace("WEBHOOK_EVENT_TYPE_", "").toLowerCase().replaceAll("_", "-");

export const subscribed = triggers.map(([type, script]) =>
  defineCase({
    id: `events/${inIds(type)}-is-delivered-to-subscribers-only`,
    says: "an event is delivered to an endpoint that subscribes to its type, and not to one that subscribes to the other types, nor to one of another workspace",
    clauses: ["beta.webhooks.event-types", "beta.webhooks.delivered", "beta.isolation.read", "beta.isolation.list"],
    rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
    async run(context) {
      const { judge } = context;
      const hook = await openHook(context);
      // Without RUN_STATE_CHANGED, which every step of every run of the app would trigger.
      const others = eventTypes.filter((one) => one !== type && one !== "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED");
      const [subscriber, { reply: created, endpoint }, elsewhere] = await Promise.all([
        subscribe(context, [type]),
        createEndpoint(context, hook.url, { eventTypes: others }),
        listenBeyond(context, type),
      ]);
      // A disabled endpoint would receive nothing anyway.
      const other = await enable(context, endpoint);
      const about = await triggerEvent(context, type, script);
      const { record, reply, records } = await untilDelivered(context, subscriber, about);
      const arrived = judge(created, "*.webhooks.delivered", reply === undefined ? [] : [reply]).satisfies(
        record !== undefined && subscriber.hook.delivered.length > 0,
        `a delivery of ${type}`,
        `${records.length} deliveries, none about it`,
      );
      if (!arrived || record === undefined) return;
      // Both endpoints see the same run: the subscriber must receive no event of another type.
      const foreign = records.find((one) => one.eventType !== type);
      judge(created, "*.webhooks.event-types").satisfies(
        foreign === undefined,
        `only ${type}`,
        showJson(foreign ?? null),
      );
      await Promise.all([
        judgeNotDelivered(context, { hook, endpoint: other }, type, record, created),
        elsewhere && judgeNothingElsewhere(context, elsewhere, about, reply ?? created),
      ]);
    },
  }),
);

export const linked = defineCase({
  id: "events/delivery-names-its-event",
  says: "the record of a delivery names its endpoint, its event and that event's type and version",
  clauses: ["beta.webhooks.links", "beta.versioning.event-version"],
  rpc: "beta.v1.WebhookService/ListWebhookDeliveries",
  async run(context) {
    const { judge } = context;
    const listeners = await Promise.all(
      triggers.slice(1, 3).map(async (trigger) => ({ trigger, subscriber: await subscribe(context, [trigger[0]]) })),
    );
    await Promise.all(
      listeners.map(async ({ trigger: [type, script], subscriber }) => {
        const about = await triggerEvent(context, type, script);
        const { record, reply } = await untilDelivered(context, subscriber, about);
        if (record === undefined || reply === undefined) throw new Unproven(`needs a delivery of ${type}`);
        judgeRecord(context, reply, record, type, subscriber);
        const own = subscriber.hook.delivered.filter((request) => mentions(request, idsOf(context, record)));
        judge(reply, "*.webhooks.records").satisfies(
          subscriber.hook.delivered.length > 0,
          "a request to the endpoint's url, as it is recorded as delivered",
          `${own.length} came`,
        );
      }),
    );
  },
});
