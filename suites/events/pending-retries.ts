import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { TargetFull, Unproven } from "../../harness/case/unproven.ts";
import { fewestAttempts } from "../../harness/setup/delivery-attempts.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { refusingOnly, requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { callOnEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { switches } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { type Listener, listen } from "./listener.ts";
import { judgeUnlisted } from "./unlisted.ts";

/** An endpoint that hears of finished work and whose receiver does not take it. */
const refusing = (context: CaseContext): Promise<Listener> => listen(context, { answer: { status: 500 } });

const deletes = ({ effect }: RpcRow) => effect === Effect.DELETE;

/** Deletes an endpoint, or disables it: what the RPC under test does. */
async function silence(context: CaseContext, endpoint: Subject): Promise<Reply> {
  if (!deletes(context.row)) return updateEndpoint(context, endpoint, { enabled: false });
  return callOnEndpoint(context, await context.setup.deletable(endpoint));
}

/** Judges that a delivery which came to a receiver goes on being listed, though its endpoint was disabled meanwhile. */
async function judgeListed(context: CaseContext, { hook, endpoint }: Listener, work: Subject): Promise<void> {
  if (requestsOf(context, hook, work).length === 0) return;
  const listed = await pollForDelivery(context, () => deliveryOf(context, endpoint, work));
  if (listed === undefined) await judgeUnlisted(context, hook, endpoint, work);
}

/** Attempts that a control must get after the change, so that the lack of them elsewhere says something. */
const minRetries = 2;

/** How long after the attempt that was under way it may be posted once more, in milliseconds. */
const repeatMs = 100;

/** How often it is tried anew where the delivery was given up before the change was made. */
const maxTrials = 4;

/**
 * One trial: both receivers refuse a delivery, one endpoint is silenced, and the other, the control, goes on. False where
 * it came too late: the control got fewer attempts after the change than it takes.
 */
async function tryOnce(context: CaseContext): Promise<boolean> {
  const { judge, needs } = context;
  const [silenced, control] = await Promise.all([refusing(context), refusing(context)]);
  const work = await finishedWork(context);
  // Whatever else ends meanwhile has attempts of its own under way.
  const requests = ({ hook }: Listener) => requestsOf(context, hook, work);
  const attempts = (listener: Listener) => requests(listener).length;
  const came = () => Math.min(silenced.hook.delivered.length, control.hook.delivered.length) > 0;
  const began = await pollForDelivery(context, async () => (came() ? true : undefined));
  if (began === undefined) throw new Unproven("needs a first attempt of a delivery");
  const told = [silenced, control].map(({ hook }) => refusingOnly(context, hook, work)());
  const reply = await silence(context, silenced.endpoint);
  // Which states permit that is not shown; that it is served otherwise is for its own cases to judge.
  if (mayBeRefusedForState(reply)) throw new ChosenOtherwise(`${reply.row.method} is refused while a delivery waits`);
  needs(reply);
  const [before, others] = [attempts(silenced), attempts(control)];
  await Promise.all(told);
  const enough = () => attempts(control) >= others + minRetries;
  const end = await pollForDelivery(context, async () => {
    if (enough()) return "tried again";
    const recorded = await deliveryOf(context, control.endpoint, work);
    return recorded !== undefined && isSettled(recorded.record) ? "given up" : undefined;
  });
  if (end === undefined || (!enough() && attempts(control) <= 1)) {
    throw new ChosenOtherwise(
      "the target makes no two more attempts within patience.deliveryMs that say what they are about",
    );
  }
  if (!enough()) return false;
  // One attempt may have been under way.
  const further = fewestAttempts(requests(silenced).slice(before), repeatMs);
  judge(reply).satisfies(
    further < minRetries,
    "no further attempts to this endpoint",
    `${further} came, as to an endpoint that goes on`,
  );
  if (!deletes(context.row)) await judgeListed(context, silenced, work);
  return true;
}

export const pending = defineRule({
  id: "events/retries-end-with-their-endpoint",
  says: "a delivery that waits for another attempt is not attempted any more once its endpoint is deleted or disabled, and goes on being listed for one that is disabled",
  clauses: ["*.webhooks.disabled", "*.filters.complete"],
  rows: (row) => row.subject === "webhook_endpoint" && (deletes(row) || switches(row)),
  async run(context) {
    let inVain: Unproven | undefined;
    for (let trial = 0; trial < maxTrials; trial += 1) {
      try {
        if (await tryOnce(context)) return;
      } catch (error) {
        // Where much goes on, a first attempt may come later than it is waited for, but hardly twice in a row.
        if (!(error instanceof Unproven) || error instanceof TargetFull || inVain !== undefined) throw error;
        inVain = error;
      }
    }
    throw new ChosenOtherwise("the target gives a delivery up before its endpoint can be deleted or disabled");
  },
});
