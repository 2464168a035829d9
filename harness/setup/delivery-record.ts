import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listRowOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { sameJson } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { listAll } from "./listing.ts";

/** The row that lists deliveries. */
export function listingRow({ row }: CaseContext): RpcRow {
  const list = listRowOf("webhook_delivery", row.package);
  if (list === undefined) throw new Error(`nothing lists deliveries of ${row.package}`);
  return list;
}

/** The request field by which deliveries are listed. */
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

/** Whether what a delivery is about is some work: which id of a run a subject has is not shown, so that its job's does too. */
export function namesWork(named: JsonValue | undefined, { id, kind, record: { jobId } }: Subject): boolean {
  return sameJson(named, id) || (kind === "run" && jobId !== undefined && sameJson(named, jobId));
}

/** The deliveries of one endpoint as the target records them, or some with the one `sought`, and the replies that showed them. */
export async function listDeliveriesOf(
  context: CaseContext,
  endpoint: Subject,
  page: JsonObject = {},
  sought: (record: JsonObject) => boolean = () => false,
): Promise<{ readonly records: readonly JsonObject[]; readonly replies: readonly Reply[]; readonly ended: boolean }> {
  const row = listingRow(context);
  const request = await context.setup.request(row, undefined, { [endpointField(context)]: endpoint.id, page });
  return listAll(context, row, request, { baseUrl: endpoint.baseUrl }, (records) => records.some(sought));
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
  return recordedIn(context, await listDeliveriesOf(context, endpoint), work);
}

/** The record of a delivery about some work in a listing that was read. */
export function recordedIn(
  context: CaseContext,
  { records, replies }: { readonly records: readonly JsonObject[]; readonly replies: readonly Reply[] },
  work: Subject,
): Recorded | undefined {
  const { about, list } = deliveryFields(context);
  const [record, ...others] = records.filter((one) => namesWork(one[about], work));
  const shows = ({ outcome, messages }: Reply) =>
    outcome === "served" &&
    messages.some(({ json }) => (json[list] as JsonValue[] | undefined)?.includes(record ?? null));
  const reply = replies.find(shows) ?? replies.at(-1);
  return record === undefined || reply === undefined ? undefined : { record, reply, others: others.length };
}
