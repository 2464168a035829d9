import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { mentions, requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { switches } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { deleteOnceIdle } from "../common/deletion-once-idle.ts";
import { type Listener, listen } from "./listener.ts";

const updatesEndpoints = (row: RpcRow) => row.subject === "webhook_endpoint" && switches(row);
const deletesEndpoints = ({ subject, effect }: RpcRow) => subject === "webhook_endpoint" && effect === Effect.DELETE;

/**
 * Requests at the silenced listener's hook about some work. Where requests do not say what they are about (seen at the
 * control), every request since `since` counts.
 */
async function arrivals(
  context: CaseContext,
  silenced: Listener,
  control: Listener,
  work: Subject,
  since: number,
): Promise<readonly Delivered[]> {
  const found = await deliveryOf(context, control.endpoint, work);
  const ids = [textAt(work.id, "value"), textAt(found?.record ?? {}, "eventId.value")];
  const named = requestsOf(context, control.hook, work, found?.record).length > 0;
  return silenced.hook.delivered.filter((request) => (named ? mentions(request, ids) : request.at >= since));
}

/** An endpoint that gets nothing any more, and the call that silenced it. */
interface Silenced extends Listener {
  readonly change: Reply;
}

/** Judges that endpoints receive nothing of what another, the positive control, receives. */
async function judgeNothingReceived(
  context: CaseContext,
  silenced: readonly Silenced[],
  control: Listener,
): Promise<void> {
  const { judge, target, poll } = context;
  const since = Date.now();
  const work = await finishedWork(context);
  if (!(await untilDelivered(context, control.hook, control.endpoint, work))) {
    throw new Unproven("needs a delivery to an enabled endpoint, the positive control");
  }
  const judgeOne = async (one: Silenced) => {
    let came: readonly Delivered[] = [];
    await poll(async () => {
      came = await arrivals(context, one, control, work, since);
      return came.length > 0 ? came : undefined;
    }, target.settings.patience.quietMs);
    judge(one.change, "*.webhooks.disabled").satisfies(
      came.length === 0,
      "no delivery to this endpoint any more",
      `${came.length} came for work that finished later`,
    );
  };
  await Promise.all(silenced.map(judgeOne));
}

function after(endpoint: Subject, reply: Reply): Subject {
  const record = recordIn(reply);
  return { ...endpoint, record, version: versionOf(record) };
}

/** Switches an endpoint on and off, each state after the other, and returns the reply to the last of these calls. */
async function switched(
  context: CaseContext,
  endpoint: Subject,
  [enabled, ...others]: readonly [boolean, ...boolean[]],
): Promise<Reply> {
  const reply = await updateEndpoint(context, endpoint, { enabled });
  context.needs(reply);
  const [next, ...rest] = others;
  return next === undefined ? reply : switched(context, after(endpoint, reply), [next, ...rest]);
}

export const disabled = defineRule({
  id: "events/disabled-endpoint-receives-nothing",
  says: "an endpoint that is disabled, for the first time or once more, receives nothing while another endpoint does, and receives again once enabled",
  clauses: ["*.webhooks.disabled", "*.webhooks.delivered"],
  rows: updatesEndpoints,
  async run(context) {
    const { judge } = context;
    const [silenced, again, control] = await Promise.all([listen(context), listen(context), listen(context)]);
    const [off, offAgain] = await Promise.all([
      switched(context, silenced.endpoint, [false]),
      switched(context, again.endpoint, [false, true, false]),
    ]);
    await judgeNothingReceived(
      context,
      [
        { ...silenced, change: off },
        { ...again, change: offAgain },
      ],
      control,
    );
    const on = await switched(context, after(silenced.endpoint, off), [true]);
    const work = await finishedWork(context);
    const arrived = await untilDelivered(context, silenced.hook, silenced.endpoint, work);
    judge(on, "*.webhooks.delivered").satisfies(arrived, "deliveries once it is enabled again", "none came");
  },
});

export const deleted = defineRule({
  id: "events/deleted-endpoint-receives-nothing",
  says: "a deleted endpoint receives nothing while another endpoint does",
  clauses: ["*.webhooks.disabled"],
  rows: deletesEndpoints,
  async run(context) {
    const [silenced, control] = await Promise.all([listen(context), listen(context)]);
    const gone = await deleteOnceIdle(context, await context.setup.deletable(silenced.endpoint));
    context.needs(gone);
    await judgeNothingReceived(context, [{ ...silenced, change: gone }], control);
  },
});

export const urlChanged = defineRule({
  id: "events/changed-url-receives-the-deliveries",
  says: "after an update of its url an endpoint receives its deliveries there",
  clauses: ["*.webhooks.delivered"],
  rows: updatesEndpoints,
  async run(context) {
    const { judge, needs } = context;
    const { endpoint, hook } = await listen(context);
    // Where it has been delivered to its old url, that may be kept: whether it came there is not judged here.
    await untilDelivered(context, hook, endpoint, await finishedWork(context));
    const newHook = await openHook(context);
    const reply = await updateEndpoint(context, endpoint, { url: newHook.url });
    needs(reply);
    const work = await finishedWork(context);
    const now = { ...endpoint, record: recordIn(reply) };
    const arrived = await untilDelivered(context, newHook, now, work);
    const old = requestsOf(context, hook, work).length;
    judge(reply).satisfies(arrived, "deliveries at the new url", old > 0 ? "they went to the old url" : "none came");
  },
});
