import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint, createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** What stands behind a hook's own address: characters that nobody has a reason to encode, or to write otherwise. */
const [below, query] = ["/Events/", ["source=Hallmark", "tenant=a1"]] as const;

/** A longer end: a column, or a buffer, for urls may be shorter. */
const longBelow = `/${"Events".repeat(45)}/`;

/** True where a request's target ends as the url does. A server may add to a query, or write it in another order. */
function isAsGiven(target: string, end: string): boolean {
  const [path = "", ...rest] = target.split("?");
  const sent = rest.join("?").split("&");
  return path.endsWith(end) && query.every((one) => sent.includes(one));
}

/** Whether work that finishes now is delivered to a url that is nothing but an address. */
async function isDeliveredPlainly(context: CaseContext): Promise<boolean> {
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url);
  return untilDelivered(context, hook, endpoint, await finishedWork(context));
}

/** Creates an endpoint below a hook, with a query. Throws ChosenOtherwise where such a url is refused: which are taken is not shown. */
async function createBelow(context: CaseContext, hook: Hook, end: string) {
  try {
    return await createEndpoint(context, `${hook.url}${end}?${query.join("&")}`);
  } catch (error) {
    if (error instanceof Unproven) throw new ChosenOtherwise("an endpoint with a query in its url is refused");
    throw error;
  }
}

/** Judges that work which finishes now is delivered to the path below a hook, with the query behind it. */
async function judgeGiven(context: CaseContext, end: string): Promise<void> {
  const hook = await openHook(context);
  const { reply, endpoint } = await createBelow(context, hook, end);
  const enabled = await enable(context, endpoint);
  const work = await finishedWork(context);
  const arrived = await untilDelivered(context, hook, enabled, work);
  if (!arrived && !(await isDeliveredPlainly(context)))
    throw new Unproven("needs a delivery of finished work to a url without a query, the positive control");
  const own = requestsOf(context, hook, work);
  // Whether requests name what they are about is not shown, and one may be sent to see who is there.
  const fits = (own.length > 0 ? own : hook.delivered).some(({ target }) => isAsGiven(target, end));
  const astray = (own.length > 0 ? own : hook.delivered)[0]?.target;
  context
    .judge(reply)
    .satisfies(
      fits,
      `a request to the hook's address with ${end}?${query.join("&")} behind it`,
      astray ?? "none came, though a url without a query is delivered to",
    );
}

export const givenUrl = defineRule({
  id: "events/deliveries-go-to-the-url-as-given",
  says: "an event is delivered to the path and with the query of the endpoint's url, as they were given",
  clauses: ["*.webhooks.delivered"],
  rows: ({ subject, effect }: RpcRow) => subject === "webhook_endpoint" && effect === Effect.CREATE,
  async run(context) {
    await judgeGiven(context, below);
    // Such a url may be longer than a server takes.
    await orUndefined(judgeGiven(context, longBelow));
  },
});
