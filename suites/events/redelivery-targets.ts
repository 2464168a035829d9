import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { redeliver, redeliverableDelivery, redelivered } from "../../harness/setup/redeliverable.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { idsOf, isAnonymous, mentions } from "../../harness/setup/webhook-arrival.ts";
import { deliverySubject } from "../../harness/setup/webhook-delivery.ts";
import { enable, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { sameJson, textAt } from "../../harness/wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import { type Refusable, refusableCalls } from "../common/callers-without.ts";
import { judgeVersionKept } from "../common/kept-version.ts";

const redelivers = ({ change }: RpcRow) => change === Change.REDELIVERS;

/** A delivery that is over and can be sent again. */
async function overDelivery(context: CaseContext) {
  if ((await redelivered(context)) === "being tried")
    throw new ChosenOtherwise("what is sent again is tried again by itself meanwhile");
  const delivery = await redeliverableDelivery(context);
  const { hook, work, record } = delivery;
  const ids = [textAt(work.id, "value"), ...idsOf(context, record)];
  /** Whether a request is about it, by the ids of its own record or by those of one that a redelivery made. */
  const isAbout = (request: Delivered, again: JsonObject) => mentions(request, [...ids, ...idsOf(context, again)]);
  const about = (again: JsonObject = {}) => hook.delivered.filter((request) => isAbout(request, again)).length;
  return { ...delivery, isAbout, about };
}

type Over = Awaited<ReturnType<typeof overDelivery>>;

/** Sends it again at the version that it has by now, or had: what was delivered to a deleted endpoint need not be listed. */
async function sendAgain(context: CaseContext, { record }: Over, endpoint: Subject): Promise<Reply> {
  const now = await orUndefined(context.setup.current(deliverySubject(context, endpoint, record)));
  return redeliver(context, { endpoint, record: now?.record ?? record });
}

export const changedUrl = defineRule({
  id: "events/redelivery-after-a-change-of-url-is-sent",
  says: "a delivery that is sent again once the url of its endpoint was changed reaches the new one, or the one it was for",
  clauses: ["*.webhooks.redelivered", "*.open.webhook-retries"],
  rows: redelivers,
  async run(context) {
    const { judge, needs, observe, poll, setup, target } = context;
    const over = await overDelivery(context);
    const newHook = await openHook(context);
    const changed = await updateEndpoint(context, over.endpoint, { url: newHook.url });
    needs(changed);
    // Readings may lag, and a url may be shown otherwise than it was given.
    const endpoint = await poll(async () => {
      const now = await setup.current(over.endpoint);
      return sameJson(now?.record.url, recordIn(changed).url) ? now : undefined;
    }, target.settings.patience.settleMs);
    const [before, beforeNew, about] = [over.hook.delivered.length, newHook.delivered.length, over.about()];
    const reply = await sendAgain(context, over, endpoint ?? over.endpoint);
    // Whether a delivery may be sent again at all once its endpoint was changed is not shown.
    if (reply.outcome === "refused")
      throw new ChosenOtherwise("a delivery to an endpoint that was changed is not sent again");
    needs(reply);
    // What else ends meanwhile is delivered to the new url, too.
    const isOwn = (request: Delivered) => over.about() === 0 || over.isAbout(request, recordIn(reply));
    // Which url a record goes to again is not shown: a server may keep with each what it was for.
    const since = () => over.hook.delivered.slice(before);
    const cameThere = () =>
      about === 0 ? since().length > 0 : over.about(recordIn(reply)) > about || since().some(isAnonymous);
    const came = await pollForDelivery(context, async () => {
      if (newHook.delivered.some(isOwn) || newHook.delivered.slice(beforeNew).some(isAnonymous)) return "has now";
      return cameThere() ? "had before" : undefined;
    });
    if (came !== undefined) observe("*.open.webhook-retries", `a redelivery goes to the url that its endpoint ${came}`);
    judge(reply, undefined, [changed]).satisfies(
      came !== undefined,
      "a request to the url that the endpoint has now, or to the one before",
      "none came",
    );
  },
});

/** Judges that a redelivery which was refused left the record of the delivery alone, as far as it is listed. */
async function judgeKept(context: CaseContext, { record }: Over, endpoint: Subject, refused: Reply, before?: Subject) {
  const now = before && (await orUndefined(context.setup.current(deliverySubject(context, endpoint, record))));
  if (before === undefined || now === undefined) return;
  await judgeVersionKept(context, before, now, [refused]);
}

/** Judges that nothing about a delivery comes to its hook once it is sent again, or that this is refused. */
async function judgeSilent(context: CaseContext, over: Over, silenced: Subject, change: Reply): Promise<boolean> {
  const { judge, poll, target } = context;
  const before = over.about();
  const was = await orUndefined(context.setup.current(deliverySubject(context, silenced, over.record)));
  const reply = await sendAgain(context, over, silenced);
  const came = () => over.about(reply.outcome === "served" ? recordIn(reply) : {}) - before;
  await poll(async () => (came() > 0 ? true : undefined), target.settings.patience.quietMs);
  if (reply.outcome === "refused") await judgeKept(context, over, silenced, reply, was);
  const expected = `no request to the endpoint after ${change.row.method}`;
  return judge(reply, undefined, [change]).satisfies(came() === 0, expected, `${came()} came as it was sent again`);
}

/** The endpoint is disabled, and enabled again: then the delivery is sent again, the positive control. */
async function judgeDisabled(context: CaseContext, over: Over): Promise<void> {
  const off = await updateEndpoint(context, over.endpoint, { enabled: false });
  context.needs(off);
  const disabled = { ...over.endpoint, ...context.setup.subjectIn(off), baseUrl: over.endpoint.baseUrl };
  if (!(await judgeSilent(context, over, disabled, off))) return;
  const control = await sendAgain(context, over, await enable(context, disabled));
  if (control.outcome === "refused")
    throw new ChosenOtherwise("a delivery is not sent again once its endpoint was disabled");
}

async function judgeDeleted(context: CaseContext, over: Over): Promise<void> {
  const { call, needs, setup } = context;
  const remove = setup.deleteOf(over.endpoint.kind);
  const deletable = await setup.deletable(over.endpoint);
  const gone = await callAsItIsNow(context, deletable, async (now) =>
    call(remove, await setup.request(remove, now), { baseUrl: over.endpoint.baseUrl }),
  );
  // Which states permit a deletion is not shown.
  if (mayBeRefusedForState(gone)) return;
  needs(gone);
  await judgeSilent(context, over, deletable, gone);
}

export const silenced = defineRule({
  id: "events/redelivery-reaches-no-silenced-endpoint",
  says: "a delivery that is sent again does not reach its endpoint while that is disabled, nor once it is deleted",
  clauses: ["*.webhooks.disabled", "*.versioning.refused-keep"],
  rows: redelivers,
  async run(context) {
    const deliveries = await Promise.all([overDelivery(context), overDelivery(context)]);
    if (deliveries.some(({ about }) => about() === 0))
      throw new ChosenOtherwise("requests do not say what they are about");
    const [first, second] = deliveries;
    await judgeDeleted(context, first);
    await judgeDisabled(context, second);
  },
});

/** A call that is to be refused, and what it names in place of whose the delivery is. */
type Refused = Refusable & { readonly fields?: JsonObject };

/** The call by another workspace, as far as the target file names one with a key of its own. */
async function byStrangers({ row, setup }: CaseContext): Promise<readonly Refused[]> {
  const other = await orUndefined(setup.otherTenant(row));
  if (other === undefined || other.sharesKey) return [];
  const because = "the delivery is another workspace's";
  return [{ because, as: other.key, fields: other.tenant, clause: "*.isolation.mutate" }];
}

/** How often it is tried: a server may send a delivery once more for reasons of its own, but hardly each time. */
const maxTrials = 3;

/** Makes calls that are to be refused: how many requests about the delivery come meanwhile. Undefined where one is served. */
async function cameThough(
  context: CaseContext,
  over: Over,
  refused: readonly Refused[],
): Promise<readonly [replies: readonly Reply[], came: number] | undefined> {
  const { row, call, judge, poll, setup, target } = context;
  const { baseUrl } = over.endpoint;
  const now = deliverySubject(context, over.endpoint, over.record);
  const before = over.about();
  const replies = await Promise.all(
    refused.map(async ({ version = now.version, as, fields }) => {
      const request = { ...(await setup.request(row, { ...now, version })), ...fields };
      return call(row, request, { baseUrl, ...(as !== undefined && { as }) });
    }),
  );
  for (const [index, reply] of replies.entries()) {
    const { clause, because = "" } = refused[index] ?? {};
    if (!judge(reply, clause).isRefused({ because })) return undefined;
  }
  const came = () => over.about() - before;
  await poll(async () => (came() > 0 ? true : undefined), target.settings.patience.quietMs);
  return [replies, came()];
}

/** Whether requests about a delivery go on to come though nobody asks for them. */
async function goesOn(context: CaseContext, over: Over): Promise<boolean> {
  const before = over.about();
  const came = async () => (over.about() > before ? true : undefined);
  return (await context.poll(came, context.target.settings.patience.quietMs)) === true;
}

const notSent = (came: number) => [came === 0, "no request to the endpoint", `${came} came, each time`] as const;

/** Makes each of the calls alone, more than once: what comes by itself comes in between, too. */
async function judgeEach(context: CaseContext, over: Over, refused: readonly Refused[]): Promise<void> {
  for (const one of refused) {
    let last: Awaited<ReturnType<typeof cameThough>>;
    for (let trial = 0; trial < maxTrials; trial += 1) {
      last = await cameThough(context, over, [one]);
      if (last === undefined) return;
      if (last[1] === 0) break;
      if (await goesOn(context, over)) throw new ChosenOtherwise("what was delivered is sent again by itself");
    }
    const [[reply] = [], came = 0] = last ?? [];
    if (reply !== undefined && !context.judge(reply, one.clause).satisfies(...notSent(came))) return;
  }
}

export const refused = defineRule({
  id: "events/refused-redelivery-is-not-sent",
  says: "a delivery that is to be sent again at another version than its own, or by whom may not or for another workspace, is not sent: the call is refused, and nothing comes",
  clauses: ["*.versioning.expected", "*.auth.required", "*.auth.scope", "*.isolation.mutate"],
  waits: true,
  rows: (row) => redelivers(row) && row.expectedVersion !== undefined,
  async run(context) {
    const over = await overDelivery(context);
    if (over.about() === 0) throw new ChosenOtherwise("requests do not say what they are about");
    const delivery = deliverySubject(context, over.endpoint, over.record);
    const version = String(farFrom(numericVersion(delivery)));
    const because = `${version} is not the version of the delivery, which is at ${delivery.version}`;
    const callers = await refusableCalls(context, delivery, version, because);
    const all: readonly Refused[] = [...callers, ...(await byStrangers(context))];
    const together = await cameThough(context, over, all);
    if (together === undefined) return;
    // Of several, nobody knows which one had something sent.
    if (together[1] > 0) return judgeEach(context, over, all);
    for (const [index, reply] of together[0].entries())
      context.judge(reply, all[index]?.clause).satisfies(...notSent(0));
    // The positive control: at its own version it is sent, and comes.
    const [before, came] = [over.about(), over.hook.delivered.length];
    const again = await sendAgain(context, over, over.endpoint);
    context.needs(again);
    const arrived = async () => (over.about(recordIn(again)) > before ? true : undefined);
    if ((await pollForDelivery(context, arrived)) !== undefined) return;
    if (over.hook.delivered.slice(came).some(isAnonymous))
      throw new ChosenOtherwise("what is sent again does not say what it is about");
    throw new Unproven("needs a delivery that comes once it is sent again, the positive control");
  },
});
