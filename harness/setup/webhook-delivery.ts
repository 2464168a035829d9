import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import type { Delivered, Hook } from "../webhooks/receiver.ts";
import { sameJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { isSettled } from "../wire/states.ts";
import { alphaSetup } from "./alpha/setup.ts";
import { betaSetup } from "./beta/setup.ts";
import { listAll } from "./subject.ts";

/** The row of the context's package that does something with a kind, told by a request field where several do. */
function rowFor({ row }: CaseContext, effect: Effect, kind: string, field = ""): RpcRow {
  const found = rpcs.find(
    (one) =>
      one.package === row.package &&
      one.effect === effect &&
      one.subject === kind &&
      (field === "" || one.input.fields.some(({ jsonName }) => jsonName === field)),
  );
  if (found === undefined) throw new Error(`${row.package} has no such RPC of ${kind}`);
  return found;
}

/** The row that lists deliveries. */
export function listingRow(context: CaseContext): RpcRow {
  return rowFor(context, Effect.LIST, "webhook_delivery");
}

/** The row that creates endpoints. */
export function creatingRow(context: CaseContext): RpcRow {
  return rowFor(context, Effect.CREATE, "webhook_endpoint");
}

/** The row that updates endpoints. */
export function updatingRow(context: CaseContext): RpcRow {
  return rowFor(context, Effect.UPDATE, "webhook_endpoint", "enabled");
}

/** Fields of an endpoint's creation that have it hear of finished work, once each. Only beta.v1 has types of events. */
export function hearing(context: CaseContext): JsonObject {
  const chooses = creatingRow(context).input.fields.some(({ jsonName }) => jsonName === "eventTypes");
  return chooses ? { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"] } : {};
}

/** Creates an endpoint at a url that hears of finished work, or of what `fields` say; its signing secret is guarded. */
export async function createEndpoint(
  context: CaseContext,
  url: string,
  fields: JsonObject = {},
): Promise<{ readonly reply: Reply; readonly endpoint: Subject; readonly secret: string }> {
  const { setup, call, needs, run } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const request = { ...(await setup.request(row, undefined)), url, ...hearing(context), ...fields };
  const reply = await call(row, request, { baseUrl });
  const secret = textAt(needs(reply), "signingSecret");
  run.secrets.register(secret, "a signing secret", "signing secret");
  return { reply, endpoint: { ...setup.subjectIn(reply), baseUrl }, secret };
}

/** Updates an endpoint; fields that are not changed stay as they are. */
export async function updateEndpoint(context: CaseContext, endpoint: Subject, changes: JsonObject): Promise<Reply> {
  const { setup, call } = context;
  const row = updatingRow(context);
  const request = await setup.request(row, endpoint);
  // What a record leaves out has its default.
  const kept = settableFields(row).map((field) => [field, endpoint.record[field] ?? defaultOf(field)]);
  return call(row, { ...request, ...Object.fromEntries(kept), ...changes }, { baseUrl: endpoint.baseUrl });
}

/** The fields an update of an endpoint sets. */
export function settableFields(row: RpcRow): readonly string[] {
  const own = row.record?.field.message?.fields.map(({ jsonName }) => jsonName) ?? [];
  const fixed = new Set([...row.ids.map(({ name }) => name), row.expectedVersion?.name, row.requestId?.name]);
  return row.input.fields.map(({ jsonName }) => jsonName).filter((name) => own.includes(name) && !fixed.has(name));
}

function defaultOf(field: string): JsonValue {
  if (field === "enabled") return false;
  return field === "eventTypes" ? [] : "";
}

/** An endpoint at a url that is enabled: whether new ones are is not shown. */
export async function makeEndpoint(context: CaseContext, url: string, fields: JsonObject = {}): Promise<Subject> {
  const { endpoint } = await createEndpoint(context, url, fields);
  return enable(context, endpoint);
}

/** The endpoint once it is enabled: whether it is so from the start is not shown. */
export async function enable(context: CaseContext, endpoint: Subject): Promise<Subject> {
  if (endpoint.record.enabled === true) return endpoint;
  const reply = await updateEndpoint(context, endpoint, { enabled: true });
  context.needs(reply);
  return { ...endpoint, ...context.setup.subjectIn(reply), baseUrl: endpoint.baseUrl };
}

/** Work that has just finished, a job or a run: what deliveries are about. */
export async function finishedWork(context: CaseContext): Promise<Subject> {
  if (context.row.package === "alpha.v1") {
    const world = alphaSetup(context);
    return world.settleJob(await world.startJob("succeed"));
  }
  const world = betaSetup(context);
  return world.settleRun(await world.startRun("complete"));
}

/** A delivery that is over, of work that has just finished, to an endpoint and a hook of its own. */
export async function settledDelivery(context: CaseContext) {
  const hook = (await context.run.receiver()).hook();
  const endpoint = await makeEndpoint(context, hook.url);
  const work = await finishedWork(context);
  const recorded = await untilRecorded(context, endpoint, work, isSettled);
  if (recorded === undefined) throw new Unproven("needs a settled delivery of finished work");
  return { hook, endpoint, work, record: recorded.record };
}

/** The request field by which deliveries are listed, or sent again. */
export function endpointField(context: CaseContext): string {
  return listingRow(context).filters[0]?.name ?? "";
}

/** How the context's package spells a delivery's record. */
export interface DeliveryFields {
  /** Names what the delivery is about. */
  readonly about: string;
  readonly id: string;
  /** The list's own name in the reply. */
  readonly list: string;
  /** Every field of the record. */
  readonly names: readonly string[];
}

/** The fields of a delivery's record. */
export function deliveryFields(context: CaseContext): DeliveryFields {
  const row = listingRow(context);
  const names = row.list?.field.message?.fields.map(({ jsonName }) => jsonName) ?? [];
  return {
    about: names.includes("subjectId") ? "subjectId" : "jobId",
    id: names.includes("webhookDeliveryId") ? "webhookDeliveryId" : "id",
    list: row.list?.name ?? "",
    names,
  };
}

/** The deliveries of one endpoint as the target records them, or some with the one `sought`, and the replies that showed them. */
export async function listDeliveriesOf(
  context: CaseContext,
  endpoint: Subject,
  page: JsonObject = {},
  sought: (record: JsonObject) => boolean = () => false,
): Promise<{ readonly records: readonly JsonObject[]; readonly replies: readonly Reply[]; readonly ended: boolean }> {
  const row = listingRow(context);
  const within = { [endpointField(context)]: endpoint.id };
  const request = { ...(await context.setup.request(row, { ...endpoint, within })), page };
  return listAll(context, row, request, { baseUrl: endpoint.baseUrl }, (records) => records.some(sought));
}

/** A request that sends a delivery again. */
export async function redeliveryRequest(context: CaseContext, record: JsonObject, version: string) {
  const row = rowFor(context, Effect.UPDATE, "webhook_delivery");
  const id = record[deliveryFields(context).id] ?? null;
  const subject = { kind: "webhook_delivery", id, record, version, changesOnlyByMutation: true };
  return { ...(await context.setup.request(row, subject)), [subjectFieldOf(row) ?? ""]: id };
}

/** A delivery's record, and the reply that showed it. */
export interface Recorded {
  readonly record: JsonObject;
  readonly reply: Reply;
  /** Further deliveries about the same to the endpoint: more than one event may tell of it. */
  readonly others: number;
}

/** The record of a delivery about some work to an endpoint, as it is now. */
export async function deliveryOf(
  context: CaseContext,
  endpoint: Subject,
  work: Subject,
): Promise<Recorded | undefined> {
  const { about, list } = deliveryFields(context);
  const { records, replies } = await listDeliveriesOf(context, endpoint);
  const [record, ...others] = records.filter((one) => sameJson(one[about], work.id));
  const shows = ({ outcome, messages }: Reply) =>
    outcome === "served" &&
    messages.some(({ json }) => (json[list] as JsonValue[] | undefined)?.includes(record ?? null));
  const reply = replies.find(shows) ?? replies.at(-1);
  return record === undefined || reply === undefined ? undefined : { record, reply, others: others.length };
}

/** Waits for the delivery about some work to be recorded in a way that fits. Undefined when it is not within patience. */
export function untilRecorded(
  context: CaseContext,
  endpoint: Subject,
  work: Subject,
  fits: (record: JsonObject) => boolean,
): Promise<Recorded | undefined> {
  return context.poll(async () => {
    const found = await deliveryOf(context, endpoint, work);
    return found !== undefined && fits(found.record) ? found : undefined;
  }, context.target.settings.patience.deliveryMs);
}

/** True where a request to a hook names one of these ids, in its body or its headers. What a body holds is not shown. */
export function mentions(request: Delivered, ids: readonly string[]): boolean {
  const text = `${Buffer.from(request.body).toString("utf8")}\n${JSON.stringify(request.headers)}`.toLowerCase();
  return ids.some((id) => id !== "" && text.includes(id.toLowerCase()));
}

/** Ids by which a request may name the delivery it is. */
export function idsOf(context: CaseContext, record: JsonObject): readonly string[] {
  return [textAt(record, `${deliveryFields(context).id}.value`), textAt(record, "eventId.value")];
}

/** Requests to a hook that name some work, or a delivery or event that its record links. */
export function requestsOf(context: CaseContext, hook: Hook, work: Subject, record?: JsonObject): readonly Delivered[] {
  const ids = [textAt(work.id, "value"), ...(record === undefined ? [] : idsOf(context, record))];
  return hook.delivered.filter((request) => mentions(request, ids));
}

/** Waits until a delivery about some work has come to a hook, by what the requests say or by the record. False when it has not. */
export async function untilDelivered(
  context: CaseContext,
  hook: Hook,
  endpoint: Subject,
  work: Subject,
): Promise<boolean> {
  const recorded = await untilRecorded(context, endpoint, work, (record) => {
    return textAt(record, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED" && hook.delivered.length > 0;
  });
  return recorded !== undefined || requestsOf(context, hook, work).length > 0;
}
