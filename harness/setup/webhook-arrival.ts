import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Delivered, Hook } from "../webhooks/receiver.ts";
import { textAt } from "../wire/json.ts";
import { deliveryFields, untilRecorded } from "./delivery-record.ts";

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
