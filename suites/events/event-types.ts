import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { eventTypes } from "../../harness/setup/beta/event-types.ts";
import { type RunScript, startRun } from "../../harness/setup/beta/run.ts";
import { listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { idsOf, mentions } from "../../harness/setup/webhook-arrival.ts";
import { createEnabledEndpoint, createEndpoint, enable, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { settle } from "../../harness/setup/work.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { isDefault, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";

type EventType = (typeof eventTypes)[number];

/** What makes an event of each type happen. */
const makings: readonly (readonly [type: EventType, script: RunScript])[] = [
  ["WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED", "complete"],
  ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED", "complete"],
  ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "fail"],
  ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", "unknown"],
  ["WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED", "approval"],
];

/** Makes an event of a type happen. Ids the event may be about: the run, its job, the approval it waits for. */
async function happen(context: CaseContext, type: EventType, script: RunScript): Promise<readonly JsonValue[]> {
  const run = await startRun(context, script);
  const ids = [run.id, run.record.jobId ?? null];
  if (type !== "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED") {
    await settle(context, run);
    return ids;
  }
  return [...ids, (await awaitApproval(context, run)).id];
}

interface Listening {
  readonly hook: Hook;
  readonly endpoint: Subject;
}

async function listen(context: CaseContext, types: readonly string[]): Promise<Listening> {
  const hook = (await context.run.receiver()).hook();
  return { hook, endpoint: await createEnabledEndpoint(context, hook.url, { eventTypes: [...types] }) };
}

interface Found {
  readonly record: JsonObject | undefined;
  readonly reply: Reply | undefined;
  readonly records: readonly JsonObject[];
}

/** The first delivery of an endpoint about one of these ids, as it is recorded now. */
async function find(context: CaseContext, { endpoint }: Listening, about: readonly JsonValue[]): Promise<Found> {
  const sought = (one: JsonObject) => about.some((id) => sameJson(one.subjectId, id));
  const { records, replies, ended } = await listDeliveriesOf(context, endpoint, {}, sought);
  const record = records.find(sought);
  if (record === undefined && !ended) throw new Unproven("needs a list of deliveries that comes to its end");
  return { record, reply: replies.at(-1), records };
}

/** The delivery of what happened, once it is recorded and has come. */
async function untilHeard(context: CaseContext, heard: Listening, about: readonly JsonValue[]): Promise<Found> {
  let found = await find(context, heard, about);
  await context.poll(async () => {
    if (textAt(found.record ?? {}, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED") return true;
    found = await find(context, heard, about);
    return undefined;
  }, context.target.settings.patience.deliveryMs);
  return found;
}

/** Judges that a delivery's record says what it is about. */
function judgeRecord(
  { judge }: CaseContext,
  reply: Reply,
  record: JsonObject,
  type: EventType,
  { endpoint }: Listening,
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

/** Judges that an endpoint that subscribes to other types was told nothing of an event. */
async function judgeUntold(context: CaseContext, untold: Listening, type: EventType, told: JsonObject, created: Reply) {
  const { judge, target } = context;
  const ids = [textAt(told, "eventId.value")];
  let came = 0;
  await context.poll(async () => {
    came = untold.hook.delivered.filter((request) => mentions(request, ids)).length;
    return came > 0 ? came : undefined;
  }, target.settings.patience.quietMs);
  const { records, replies } = await listDeliveriesOf(context, untold.endpoint);
  const stray = records.find((one) => one.eventType === type || sameJson(one.eventId, told.eventId));
  judge(created, "*.webhooks.event-types", replies.slice(-1)).satisfies(
    came === 0 && stray === undefined,
    `nothing of ${type}, which it does not subscribe to`,
    stray === undefined ? `${came} deliveries came` : showJson(stray),
  );
}

export const subscribed = makings.map(([type, script]) =>
  defineCase({
    id: `events/${type.replace("WEBHOOK_EVENT_TYPE_", "").toLowerCase().replaceAll("_", "-")}-is-delivered-to-subscribers-only`,
    says: "an event is delivered to the endpoint that subscribes to its type, and not to one that subscribes to the others",
    clauses: ["beta.webhooks.event-types", "beta.webhooks.delivered"],
    rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
    async run(context) {
      const { judge, run } = context;
      const hook = (await run.receiver()).hook();
      // Every step of every run of the app is a change of state: more than it takes to see what an endpoint is not told.
      const others = eventTypes.filter((one) => one !== type && one !== "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED");
      const [heard, { reply: created, endpoint }] = await Promise.all([
        listen(context, [type]),
        createEndpoint(context, hook.url, { eventTypes: others }),
      ]);
      // One that is disabled from the start would hear nothing anyhow.
      const untold = await enable(context, endpoint);
      const about = await happen(context, type, script);
      const { record, reply, records } = await untilHeard(context, heard, about);
      const told = judge(created, "*.webhooks.delivered", reply === undefined ? [] : [reply]).satisfies(
        record !== undefined && heard.hook.delivered.length > 0,
        `a delivery of ${type}`,
        `${records.length} deliveries, none about it`,
      );
      if (!told || record === undefined) return;
      // An endpoint of another type beside it: both hear of the same run.
      const strange = records.find((one) => one.eventType !== type);
      judge(created, "*.webhooks.event-types").satisfies(
        strange === undefined,
        `only ${type}`,
        showJson(strange ?? null),
      );
      await judgeUntold(context, { hook, endpoint: untold }, type, record, created);
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
    const hearing = await Promise.all(
      makings.slice(1, 3).map(async (making) => ({ making, heard: await listen(context, [making[0]]) })),
    );
    await Promise.all(
      hearing.map(async ({ making: [type, script], heard }) => {
        const about = await happen(context, type, script);
        const { record, reply } = await untilHeard(context, heard, about);
        if (record === undefined || reply === undefined) throw new Unproven(`needs a delivery of ${type}`);
        judgeRecord(context, reply, record, type, heard);
        const own = heard.hook.delivered.filter((request) => mentions(request, idsOf(context, record)));
        judge(reply, "*.webhooks.records").satisfies(
          heard.hook.delivered.length > 0,
          "a request to the endpoint's url, as it is recorded as delivered",
          `${own.length} came`,
        );
      }),
    );
  },
});

export const changed = defineCase({
  id: "events/changed-event-types-take-effect",
  says: "once an endpoint subscribes to other types of events it hears of those, and no more of the ones before",
  clauses: ["beta.webhooks.delivered", "beta.webhooks.event-types"],
  rpc: "beta.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    const { judge, needs } = context;
    const [failed, completed] = ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "WEBHOOK_EVENT_TYPE_RUN_COMPLETED"] as const;
    const [turned, left] = await Promise.all([listen(context, [failed]), listen(context, [completed])]);
    const [on, off] = await Promise.all([
      updateEndpoint(context, turned.endpoint, { eventTypes: [completed] }),
      updateEndpoint(context, left.endpoint, { eventTypes: [failed] }),
    ]);
    for (const reply of [on, off]) needs(reply);
    const about = await happen(context, completed, "complete");
    const { record, records } = await untilHeard(context, turned, about);
    judge(on, "*.webhooks.delivered").satisfies(
      record !== undefined,
      `a delivery of ${completed}, which it subscribes to now`,
      `${records.length} deliveries, none about it`,
    );
    if (record !== undefined) await judgeSilent(context, left, about, off);
    judge(on, "*.versioning.advances").satisfies(
      versionOf(recordIn(on)) !== turned.endpoint.version,
      "another version than before",
      versionOf(recordIn(on)),
    );
  },
});

/** Judges that an endpoint that no longer subscribes heard nothing of what happened. */
async function judgeSilent(context: CaseContext, silent: Listening, about: readonly JsonValue[], switched: Reply) {
  const { judge, target } = context;
  let found = await find(context, silent, about);
  await context.poll(async () => {
    if (found.record !== undefined) return true;
    found = await find(context, silent, about);
    return undefined;
  }, target.settings.patience.quietMs);
  judge(switched, "*.webhooks.event-types").satisfies(
    found.record === undefined,
    "nothing of a type it does not subscribe to any more",
    showJson(found.record ?? null),
  );
}
