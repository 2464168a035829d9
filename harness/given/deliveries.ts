import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../context.ts";
import { sameJson, textAt } from "../json.ts";
import type { Delivered, Hook } from "../webhooks/receiver.ts";
import type { Reply } from "../wire/reply.ts";
import { alphaHome } from "./alpha.ts";
import { listAll, type Subject } from "./subject.ts";

const listDeliveries = rpc("alpha.v1.WebhookService/ListWebhookDeliveries");

/** The deliveries of one endpoint as the target records them, and the replies that showed them. */
export async function listDeliveriesOf(
  context: CaseContext,
  endpoint: Subject,
): Promise<{ readonly records: readonly JsonObject[]; readonly replies: readonly Reply[] }> {
  const request = { ...context.given.tenant(), endpointId: endpoint.id };
  return listAll(context, listDeliveries, request, { baseUrl: endpoint.baseUrl });
}

/** A job that has just finished: what deliveries are about. */
export async function finishedJob(context: CaseContext): Promise<Subject> {
  const world = alphaHome(context);
  return world.settleJob(await world.startJob("succeed"));
}

/** A delivery's record, and the reply that showed it. */
export interface Recorded {
  readonly record: JsonObject;
  readonly reply: Reply;
  /** Further deliveries of the same job to the endpoint: more than one event may tell of a job. */
  readonly others: number;
}

/** The record of a job's delivery to an endpoint, as it is now. */
export async function deliveryOf(context: CaseContext, endpoint: Subject, job: Subject): Promise<Recorded | undefined> {
  const { records, replies } = await listDeliveriesOf(context, endpoint);
  const [record, ...others] = records.filter((one) => sameJson(one.jobId, job.id));
  const reply = replies.find((one) => one.outcome === "served" && includes(one, record)) ?? replies.at(-1);
  return record === undefined || reply === undefined ? undefined : { record, reply, others: others.length };
}

function includes(reply: Reply, record: JsonObject | undefined): boolean {
  return (
    reply.outcome === "served" && Array.isArray(reply.json.deliveries) && reply.json.deliveries.includes(record ?? null)
  );
}

/** Waits for a job's delivery to be recorded in a way that fits. Undefined when it is not within patience. */
export function untilRecorded(
  context: CaseContext,
  endpoint: Subject,
  job: Subject,
  fits: (record: JsonObject) => boolean,
): Promise<Recorded | undefined> {
  return context.until(async () => {
    const found = await deliveryOf(context, endpoint, job);
    return found !== undefined && fits(found.record) ? found : undefined;
  }, context.target.settings.patience.deliveryMs);
}

/** True where a request to a hook names one of these ids, in its body or its headers. What a body holds is not shown. */
export function mentions(request: Delivered, ids: readonly string[]): boolean {
  const text = `${Buffer.from(request.body).toString("utf8")}\n${JSON.stringify(request.headers)}`.toLowerCase();
  return ids.some((id) => id !== "" && text.includes(id.toLowerCase()));
}

/** Requests to a hook that name a job, or a delivery or event that its record links. */
export function requestsOf(hook: Hook, job: Subject, record?: JsonObject): readonly Delivered[] {
  const ids = [
    textAt(job.id, "value"),
    ...(record === undefined ? [] : [textAt(record, "id.value"), textAt(record, "eventId.value")]),
  ];
  return hook.delivered.filter((request) => mentions(request, ids));
}

/** Waits until a job's delivery has come to a hook, by what the requests say or by the record. False when it has not. */
export async function untilDelivered(
  context: CaseContext,
  hook: Hook,
  endpoint: Subject,
  job: Subject,
): Promise<boolean> {
  const recorded = await untilRecorded(context, endpoint, job, (record) => {
    return textAt(record, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED" && hook.delivered.length > 0;
  });
  return recorded !== undefined || requestsOf(hook, job).length > 0;
}
