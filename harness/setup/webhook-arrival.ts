import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Delivered, Hook } from "../webhooks/receiver.ts";
import { isDefault, textAt } from "../wire/json.ts";
import { deliveryFields, listDeliveriesOf, type Recorded, recordedIn } from "./delivery-record.ts";
import { pollForDelivery } from "./webhook-hook.ts";

/** Looks in a row at a record that names no work: what names none twice names none later. */
const maxUnlinked = 2;

/** What a request to a hook says in its body and its headers. */
const textOf = ({ body, headers }: Delivered) => `${Buffer.from(body).toString("utf8")}\n${JSON.stringify(headers)}`;

/** True where a request to a hook names one of these ids, in its body or its headers. What a body holds is not shown. */
export function mentions(request: Delivered, ids: readonly string[]): boolean {
  const text = textOf(request).toLowerCase();
  return ids.some((id) => id !== "" && text.includes(id.toLowerCase()));
}

/** A UUID, and no part of a longer number as signatures are. */
const uuid = /(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-f])/i;

/** True where a request to a hook names nothing at all: it may be about what others name, as one event may be told so and another not. */
export function isAnonymous(request: Delivered): boolean {
  return !uuid.test(textOf(request));
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

/**
 * Has a hook that answers with an error answer so to what is about some work alone, once a request has named it: what else
 * ends meanwhile is not to be tried again and again.
 *
 * @param status the error it answers with
 * @returns looks whether it is time; to be called until what is waited for has come
 */
export function refusingOnly(context: CaseContext, hook: Hook, work: Subject, status = 500): () => Promise<void> {
  let isAlone = false;
  return async () => {
    if (isAlone || requestsOf(context, hook, work).length === 0) return;
    isAlone = true;
    await hook.answerWith({ status, mentioning: textAt(work.id, "value").toLowerCase() });
  };
}

/** The record that a request to a hook names along with some work, though the record itself names no work at all. */
export function unlinkedRecord(
  context: CaseContext,
  hook: Hook,
  work: Subject,
  records: readonly JsonObject[],
): JsonObject | undefined {
  const { about } = deliveryFields(context);
  const requests = requestsOf(context, hook, work);
  const isNamed = (record: JsonObject) => requests.some((request) => mentions(request, idsOf(context, record)));
  return records.find((record) => isDefault(record[about]) && isNamed(record));
}

/**
 * Waits for the delivery about some work to be recorded in a way that fits. Undefined when it is not within patience, or
 * when what would fit names no work.
 */
export async function untilRecorded(
  context: CaseContext,
  hook: Hook,
  endpoint: Subject,
  work: Subject,
  fits: (record: JsonObject) => boolean,
): Promise<Recorded | undefined> {
  let unlinked = 0;
  const ended = await pollForDelivery(context, async () => {
    const listed = await listDeliveriesOf(context, endpoint);
    const found = recordedIn(context, listed, work);
    if (found !== undefined) return fits(found.record) ? { found } : undefined;
    const fitting = unlinkedRecord(context, hook, work, listed.records.filter(fits));
    unlinked = fitting === undefined ? 0 : unlinked + 1;
    return unlinked >= maxUnlinked ? { found } : undefined;
  });
  return ended?.found;
}

/** Waits until a delivery about some work has come to a hook, by what the requests say or by the record. False when it has not. */
export async function untilDelivered(
  context: CaseContext,
  hook: Hook,
  endpoint: Subject,
  work: Subject,
): Promise<boolean> {
  const recorded = await untilRecorded(context, hook, endpoint, work, (record) => {
    return textAt(record, "state") === "WEBHOOK_DELIVERY_STATE_DELIVERED" && hook.delivered.length > 0;
  });
  return recorded !== undefined || requestsOf(context, hook, work).length > 0;
}
