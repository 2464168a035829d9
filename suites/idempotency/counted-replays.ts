import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { redeliverableDelivery } from "../../harness/setup/redeliverable.ts";
import { idIn, versionOf } from "../../harness/setup/subject.ts";
import { requestsOf, untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { redeliveryRequest } from "../../harness/setup/webhook-delivery.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { Change } from "../../proto/rpcs.ts";
import { countUnder, naming, parentOf } from "../common/parents.ts";
import { countable, creating } from "./rows.ts";

export const counted = defineRule({
  id: "idempotency/replay-creates-nothing-new",
  says: "however often a creating call is replayed, the listing under the parent it names shows one record",
  clauses: ["*.idempotency.one-effect", "*.filters.complete"],
  rows: (row) => creating(row) && !countable(row) && parentOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge } = context;
    const parent = parentOf(row);
    if (parent === undefined) throw new Error(`nothing lists what ${row.name} creates`);
    const { id, within } = await setup.fresh(parent.facts.names);
    // A server may make some by itself, with the parent.
    const { count: before } = await countUnder(context, parent, id, within);
    const request = { ...(await setup.request(row, undefined)), ...naming(parent, id) };
    const replies = await sendTogether(4, (batch) => call(row, request, { batch }));
    replies.push(await call(row, request));
    const served = replies.filter((reply) => reply.outcome === "served");
    const [first] = served;
    if (first === undefined) {
      context.needs(replies[0] ?? (await call(row, request)));
      return;
    }
    context.needs(first);
    const ids = served.map(idIn);
    judge(served.at(-1) ?? first, undefined, [first]).satisfies(
      ids.every((one) => sameJson(one, ids[0])),
      `every reply names ${showJson(ids[0])}`,
      showJson(ids),
      "id",
    );
    const counted = () => countUnder(context, parent, id, setup.subjectIn(first).within);
    // A listing may lag more than is known of it.
    const { count, replies: pages } = await lookUntil(context, counted, (seen) => seen.count > before);
    const page = pages.at(-1);
    // One that is not listed at all was made, and is not shown.
    if (page !== undefined)
      judge(page, "*.filters.complete", [first]).satisfies(
        count > before,
        `one more ${row.subject} with the ${parent.name} asked for`,
        `${count}, and ${before} before`,
      );
    judge(first, undefined, pages.slice(-1)).satisfies(
      count <= before + 1,
      `one more ${row.subject} with the ${parent.name} asked for, however often it is`,
      `${page?.row.method} shows ${count}, and ${before} before`,
    );
  },
});

/** Waits until a hook has received no more requests for a while. */
async function whenQuiet(context: CaseContext, count: () => number): Promise<void> {
  const { quietMs } = context.target.settings.patience;
  let [seen, since] = [count(), performance.now()];
  await context.poll(async () => {
    if (count() !== seen) [seen, since] = [count(), performance.now()];
    return performance.now() - since > quietMs ? true : undefined;
  }, 4 * quietMs);
}

/** A redelivery with its replays, and how many requests the receiver got for all of them. */
interface ReplayedRedelivery {
  readonly replies: readonly Reply[];
  readonly came: number;
}

/** How often a redelivery is replayed. */
const replayed = 3;

/** Redeliveries that are replayed, one after the other, while more than one request comes of each; and as many that are not. */
const tries = 3;

/** Requests a redelivery and replays it with its requestId, so many times. Undefined where requests to the hook do not say what they are about. */
async function replayRedelivery(context: CaseContext, times: number): Promise<ReplayedRedelivery | undefined> {
  const { row, call, needs, observe } = context;
  const { hook, endpoint, work, record } = await redeliverableDelivery(context);
  if (requestsOf(context, hook, work, record).length === 0) {
    observe("*.open.webhook-form", "a delivery does not name its event or subject");
    return undefined;
  }
  await whenQuiet(context, () => hook.delivered.length);
  const before = requestsOf(context, hook, work, record).length;
  const request = await redeliveryRequest(context, record, versionOf(record));
  const options = { baseUrl: endpoint.baseUrl };
  const first = await call(row, request, options);
  needs(first);
  const came = () => requestsOf(context, hook, work, record).length - before;
  await pollForDelivery(context, async () => (came() > 0 ? true : undefined));
  await untilRecorded(context, hook, endpoint, work, isSettled);
  // One after the other, each once the one before may have been sent: a server need not send what it is sending already.
  const replies = [first];
  for (let nth = 0; nth < replayed; nth += 1) {
    // What is not replayed is listened to for as long: a server may send a delivery again of its own accord.
    if (nth < times) replies.push(await call(row, request, options));
    await whenQuiet(context, came);
  }
  return { replies, came: came() };
}

/** How many requests come of one redelivery that is not replayed, at most: a server may send what it delivers more than once. */
async function withoutReplay(context: CaseContext): Promise<number> {
  let most = 1;
  for (let nth = 0; nth < tries; nth += 1) most = Math.max(most, (await replayRedelivery(context, 0))?.came ?? 0);
  return most;
}

export const redelivered = defineRule({
  id: "idempotency/replayed-redelivery-is-sent-once",
  says: "replays of a redelivery with its requestId send its event once, not once for each call",
  waits: true,
  clauses: ["*.idempotency.one-effect"],
  rows: ({ change, requestId }) => change === Change.REDELIVERS && requestId !== undefined,
  async run(context) {
    const { judge, observe } = context;
    let redelivery = await replayRedelivery(context, replayed);
    // A server may send a delivery again for reasons of its own, but hardly each time.
    for (let nth = 1; nth < tries && redelivery !== undefined && redelivery.came > 1; nth += 1)
      redelivery = await replayRedelivery(context, replayed);
    if (redelivery === undefined) return;
    // How often a delivery comes is not shown: one that is asked for once tells how often it does.
    const most = redelivery.came > 1 ? await withoutReplay(context) : 1;
    const [first, ...replays] = redelivery.replies;
    const last = replays.at(-1) ?? first;
    if (first === undefined || last === undefined) return;
    judge(last, undefined, [first]).satisfies(
      redelivery.came <= most,
      most === 1 ? "one more request to the receiver" : `${most} more requests to the receiver, as without a replay`,
      `${redelivery.came} came`,
    );
    for (const reply of replays) observe("*.open.replay", `a repeated redelivery is ${reply.outcome}`);
  },
});
