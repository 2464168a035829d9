import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, endpointField } from "../../harness/setup/delivery-record.ts";
import { idIn, listAll, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import {
  createEnabledEndpoint,
  creatingRow,
  hearing,
  settableFields,
  updatingRow,
} from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** Creates an endpoint at a url in the other tenant and sees to it that it is enabled. Returns its id. */
async function endpointElsewhere(context: CaseContext, url: string) {
  const { call, needs, setup } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const { key, tenant } = await setup.otherTenant(row);
  const request = { ...(await setup.request(row, undefined, { url, ...hearing(context) })), ...tenant };
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
  return id;
}

export const ofOtherTenants = defineRule({
  id: "events/deliveries-stay-in-their-workspace",
  says: "the end of a job or run is delivered to no endpoint of another workspace, nor listed there",
  clauses: ["*.isolation.read", "*.isolation.list"],
  rows: (row: RpcRow) => row.subject === "webhook_delivery" && row.list !== undefined,
  async run(context) {
    const { row, setup, judge, poll, target } = context;
    const [own, theirs] = [await openHook(context), await openHook(context)];
    const elsewhere = await endpointElsewhere(context, theirs.url);
    const endpoint = await createEnabledEndpoint(context, own.url);
    const work = await finishedWork(context);
    const settled = await untilRecorded(context, own, endpoint, work, isSettled);
    // The positive control: such work is delivered to an endpoint of its own workspace.
    if (settled === undefined) throw new Unproven("needs a settled delivery of finished work");
    await poll(async () => (theirs.delivered.length > 0 ? true : undefined), target.settings.patience.quietMs);
    const strange = requestsOf(context, theirs, work);
    judge(settled.reply).satisfies(
      strange.length === 0,
      "no request about it to an endpoint of another workspace",
      `${strange.length} came`,
    );
    const { key, tenant } = await setup.otherTenant(row);
    const { records, replies } = await listAll(
      context,
      row,
      { ...tenant, [endpointField(context)]: elsewhere },
      { as: key, baseUrl: endpoint.baseUrl },
    );
    const found = records.find((record) => sameJson(record[deliveryFields(context).about], work.id));
    judge(replies.at(-1) ?? settled.reply, "*.isolation.list", [settled.reply]).satisfies(
      found === undefined,
      "no delivery of another workspace's work",
      showJson(found ?? null),
    );
  },
});
