import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { deliveryFields, endpointField, listingRow } from "../../harness/setup/delivery-record.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { idIn, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { mentions } from "../../harness/setup/webhook-arrival.ts";
import { creatingRow, hearing, settableFields, updatingRow } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { isDefault, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";

/** An endpoint of the other tenant, and what comes to it. */
export interface Elsewhere {
  readonly hook: Hook;
  readonly endpoint: JsonValue;
}

/**
 * Creates an endpoint in the other tenant, of finished work or what `fields` say, and sees to it that it is enabled. Throws
 * NotExercised where the target file names no other tenant.
 */
export async function listenElsewhere(context: CaseContext, fields: JsonObject = {}): Promise<Elsewhere> {
  const { call, needs, setup } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const { key, tenant } = await setup.otherTenant(row);
  const hook = await openHook(context);
  const request = {
    ...(await setup.request(row, undefined, { url: hook.url, ...hearing(context), ...fields })),
    ...tenant,
  };
  const made = await call(row, request, { as: key, baseUrl });
  needs(made);
  const id = idIn(made);
  if (recordIn(made).enabled !== true) {
    // Whether it is so from the start is not shown.
    const update = updatingRow(context);
    const kept = Object.fromEntries(settableFields(update).map((field) => [field, request[field] ?? null]));
    const asked = {
      requestId: setup.requestId(),
      ...tenant,
      ...kept,
      enabled: true,
      [subjectFieldOf(update) ?? ""]: id,
      expectedResourceVersion: versionOf(recordIn(made)),
    };
    needs(await call(update, asked, { as: key, baseUrl }));
  }
  return { hook, endpoint: id };
}

/**
 * Judges that nothing about some things, by their ids, comes to an endpoint of the other tenant within `patience.quietMs`, nor is
 * listed for it.
 *
 * @param settled shows that it was delivered to an endpoint of its own tenant: the positive control
 */
export async function judgeNothingElsewhere(
  context: CaseContext,
  { hook, endpoint }: Elsewhere,
  about: readonly JsonValue[],
  settled: Reply,
): Promise<void> {
  const { setup, judge, poll, target } = context;
  await poll(async () => (hook.delivered.length > 0 ? true : undefined), target.settings.patience.quietMs);
  const ids = about.filter((id) => !isDefault(id));
  const texts = ids.map((id) => textAt(id, "value"));
  const strange = hook.delivered.filter((request) => mentions(request, texts));
  judge(settled, "*.isolation.read").satisfies(
    strange.length === 0,
    "no request about it to an endpoint of another workspace",
    `${strange.length} came`,
  );
  const row = listingRow(context);
  const { key, tenant } = await setup.otherTenant(row);
  const baseUrl = await setup.homeUrl(row);
  const request = { ...tenant, [endpointField(context)]: endpoint };
  const { records, replies } = await listAll(context, row, request, { as: key, baseUrl });
  const { about: field } = deliveryFields(context);
  const found = records.find((record) => ids.some((id) => sameJson(record[field], id)));
  judge(replies.at(-1) ?? settled, "*.isolation.list", [settled]).satisfies(
    found === undefined,
    "no delivery of another workspace's work",
    showJson(found ?? null),
  );
}
