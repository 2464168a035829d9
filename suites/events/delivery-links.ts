import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { deliveryFields, endpointField, namesWork, type Recorded } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, requestsOf } from "../../harness/setup/webhook-arrival.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";

/** Judges that a delivery's record names its endpoint, its event and the job or run it is about. */
export function judgeLinks(context: CaseContext, { record, reply }: Recorded, endpoint: Subject, work: Subject): void {
  const { judge } = context;
  const { about, list } = deliveryFields(context);
  const own = endpointField(context);
  const links: readonly (readonly [string, boolean, string])[] = [
    [own, sameJson(record[own], endpoint.id), showJson(endpoint.id)],
    [about, namesWork(record[about], work), showJson(work.id)],
    ["eventId", !isDefault(record.eventId), "the id of an event"],
  ];
  for (const [field, held, expected] of links) {
    judge(reply, "*.webhooks.links").satisfies(held, expected, showJson(record[field]), `${list}[].${field}`);
  }
}

/** A delivery record with wrong links: one that a webhook request about the work names, though its links do not. */
export function mislinkedRecord(
  context: CaseContext,
  hook: Hook,
  work: Subject,
  records: readonly JsonObject[],
): JsonObject | undefined {
  const requests = requestsOf(context, hook, work);
  return records.find((record) => requests.some((request) => mentions(request, idsOf(context, record))));
}
