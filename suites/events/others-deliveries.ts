import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { checkDeliveries } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { switches } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { actOn } from "../common/act-on.ts";

/** Judges that what waits to go to another endpoint is not canceled with one. Returns false where nothing waits there. */
async function judgeWaiting(context: CaseContext, where: CaseContext, clause: string): Promise<boolean> {
  const { judge, needs, setup } = context;
  const waiting = await orUndefined(where.setup.fresh("webhook_delivery:pending"));
  if (waiting === undefined) return false;
  // Nothing waits to go to this one.
  const reply = await actOn(context, await setup.fresh("webhook_endpoint"));
  needs(reply);
  const state = textAt((await where.setup.current(waiting))?.record, "state");
  const whose = where === context ? "another endpoint" : "an endpoint of another workspace";
  judge(reply, clause).satisfies(
    !state.endsWith("_CANCELED"),
    `a delivery to ${whose} that goes on waiting for its next attempt`,
    `it is ${state}`,
  );
  return true;
}

/** Calls after which an endpoint gets no more. */
const silences = (row: RpcRow) =>
  row.package === "alpha.v1" && row.subject === "webhook_endpoint" && (row.effect === Effect.DELETE || switches(row));

export const othersDeliveries = defineRule({
  id: "events/silenced-endpoint-cancels-no-deliveries-to-others",
  says: "an endpoint that is deleted or disabled takes no delivery along that waits to go to another, of its workspace or of another",
  waits: true,
  clauses: ["*.webhooks.delivered", "*.isolation.mutate"],
  rows: silences,
  async run(context) {
    const own = await judgeWaiting(context, context, "*.webhooks.delivered");
    const other = await judgeWaiting(context, context.setup.elsewhere(), "*.isolation.mutate");
    if (own || other) return;
    // Where the target file allows no more of them, that is why.
    await checkDeliveries(context);
    throw new ChosenOtherwise("no delivery waits for another attempt");
  },
});
