import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { endpointField } from "../../harness/setup/delivery-record.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, listAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";

/** An id by which deliveries are listed, and what it names. */
type Named = readonly [what: string, id: JsonValue | undefined];

/** What a delivery names, and is named by, that is no endpoint. */
function otherThanEndpoint({ record }: Subject): readonly Named[] {
  const { id, eventId, jobId } = record as JsonObject;
  return [
    ["a delivery", id],
    ["an event", eventId],
    ["a job", jobId],
  ];
}

/** States of deliveries that a listing may have from elsewhere than that of all. */
const states = ["webhook_delivery", "webhook_delivery:given-up", "webhook_delivery:pending"];

/** The endpoint of a delivery, once it was deleted; undefined where it is not. */
async function deletedEndpoint(where: CaseContext): Promise<JsonValue | undefined> {
  const { setup, call } = where;
  const made = await orUndefined(setup.fresh("webhook_delivery"));
  const endpoint =
    made && (await setup.current({ ...made, kind: "webhook_endpoint", id: made.record.endpointId ?? null }));
  if (endpoint === undefined) return undefined;
  const remove = setup.deleteOf("webhook_endpoint");
  const deleted = await call(remove, await setup.request(remove, await setup.deletable(endpoint)));
  return deleted.outcome === "served" ? endpoint.id : undefined;
}

/** Lists by an id, and judges that this shows nothing: it names no endpoint of the workspace. */
async function judgeNothing(context: CaseContext, [what, id]: Named, whose: string, clause: string): Promise<void> {
  const { row, setup, call, judge } = context;
  if (id === undefined || isDefault(id) || !isObject(id)) return;
  const reply = await call(row, await setup.request(row, undefined, { [endpointField(context)]: id }));
  // Whether an id that is none of an endpoint is refused is open.
  if (reply.outcome === "refused") return;
  const count = listAt(context.needs(reply), row.list?.name ?? "").length;
  judge(reply, clause).satisfies(count === 0, `no delivery: ${what}${whose} is named`, `${count} deliveries`);
}

export const foreignDeliveries = defineRule({
  id: "isolation/deliveries-are-listed-by-endpoints-of-their-workspace-alone",
  says: "a listing of deliveries by an endpoint of another workspace, whatever became of it and of its deliveries, or by what is no endpoint, shows none",
  waits: true,
  clauses: ["*.isolation.list", "*.filters.hold"],
  rows: rowsNamed("alpha.v1.WebhookService/ListWebhookDeliveries"),
  async run(context) {
    const { row, setup, judge } = context;
    const own = await setup.fresh("webhook_delivery");
    for (const named of otherThanEndpoint(own)) await judgeNothing(context, named, "", "*.filters.hold");
    // The positive control: by its endpoint it is listed.
    const request = await setup.request(row, undefined, { [endpointField(context)]: own.record.endpointId ?? null });
    const { replies, records } = await listAll(context, row, request);
    const last = replies.at(-1);
    if (last !== undefined)
      judge(last, "*.filters.complete").satisfies(records.length > 0, "the delivery to that endpoint", "none");
    const where = setup.elsewhere();
    const judgeForeign = (named: Named) => judgeNothing(context, named, " of another workspace", "*.isolation.list");
    let asked = false;
    for (const state of states) {
      const made = await orUndefined(where.setup.fresh(state));
      if (made === undefined) continue;
      asked = true;
      // At once: it does not stay in every state.
      await judgeForeign(["an endpoint", made.record.endpointId]);
      for (const named of otherThanEndpoint(made)) await judgeForeign(named);
    }
    if (!asked) throw new ChosenOtherwise("nothing is delivered in the other workspace");
    await judgeForeign(["an endpoint that was deleted", await deletedEndpoint(where)]);
  },
});
