import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { TargetFull, Unproven } from "../case/unproven.ts";
import { ChosenOtherwise, NotExercised } from "../target/target.ts";
import type { Hook } from "../webhooks/receiver.ts";
import { sameJson } from "../wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../wire/reply.ts";
import { isSettled } from "../wire/states.ts";
import { deliveryOf, type Recorded } from "./delivery-record.ts";
import type { Resource } from "./package.ts";
import { idIn, versionOf } from "./subject.ts";
import { refusingOnly } from "./webhook-arrival.ts";
import {
  createDeliveries,
  createDelivery,
  deliverySubject,
  finishedWork,
  redeliveringRow,
  redeliveryRequest,
  settledDelivery,
} from "./webhook-delivery.ts";
import { createEnabledEndpoint, enable, updateEndpoint } from "./webhook-endpoint.ts";
import { openHook, pollForDelivery } from "./webhook-hook.ts";

/** A delivery, with what it came about by. */
interface Delivery {
  readonly hook: Hook;
  readonly endpoint: Subject;
  readonly work: Subject;
  readonly record: JsonObject;
}

/** What a target sends again. In which states a delivery is sent again is not shown. */
type Redelivered = "delivered" | "given up" | "being tried";

/**
 * A delivery that our receiver does not take: given up or, where that is not waited for or does not come within
 * `patience.settleMs`, as it is once it was tried.
 */
async function untakenDelivery(context: CaseContext, until: Exclude<Redelivered, "delivered">): Promise<Delivery> {
  const { poll, setup, target } = context;
  const hook = await openHook(context, { status: 500 });
  const created = await createEnabledEndpoint(context, hook.url);
  const work = await finishedWork(context);
  const refuseOnlyThis = refusingOnly(context, hook, work);
  let last: Recorded | undefined;
  await poll(async () => {
    await refuseOnlyThis();
    last = await deliveryOf(context, created, work);
    const isTried = Number(last?.record.attemptCount ?? 0) > 0;
    return last !== undefined && (isSettled(last.record) || (until === "being tried" && isTried)) ? last : undefined;
  }, target.settings.patience.settleMs);
  if (last === undefined) throw new Unproven("needs a webhook delivery that is not taken; none came to be listed");
  // Whether an endpoint that does not take a delivery stays enabled is not shown.
  const endpoint = await enable(context, (await setup.current(created)) ?? created);
  return { hook, endpoint, work, record: last.record };
}

/** Has a delivery sent again, at the version its record shows. */
export async function redeliver(
  context: CaseContext,
  { endpoint, record }: Pick<Delivery, "endpoint" | "record">,
): Promise<Reply> {
  const request = await redeliveryRequest(context, record, versionOf(record));
  return context.call(redeliveringRow(context), request, { baseUrl: endpoint.baseUrl });
}

/**
 * Learns what the target sends again, by one delivery that was delivered and, where that is refused for its state, one that
 * was not. Who refuses both is asked for what was delivered: that it serves no call is then what the cases find.
 */
async function learn(context: CaseContext): Promise<Redelivered> {
  if (!mayBeRefusedForState(await redeliver(context, await settledDelivery(context)))) return "delivered";
  const untaken = await untakenDelivery(context, "given up").catch((error: unknown) => {
    // That what was delivered is not sent again is the target's choice, whatever comes of another.
    if (error instanceof Unproven) return undefined;
    throw error;
  });
  if (untaken === undefined) throw nothingGivenUp();
  const isGivenUp = isSettled(untaken.record);
  const reply = await redeliver(context, untaken);
  if (reply.outcome === "served") return isGivenUp ? "given up" : "being tried";
  if (isGivenUp) return "delivered";
  throw nothingGivenUp();
}

const nothingGivenUp = () =>
  new NotExercised(
    "a longer patience.settleMs",
    "what was delivered and what is still tried is not sent again, and nothing was given up meanwhile",
  );

/** What the target sends again, learnt once. Throws NotExercised where nothing that it does comes about in time. */
export async function redelivered(context: CaseContext): Promise<Redelivered> {
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  try {
    // In the case's own context: its endpoints go with it, so that no more is delivered to them.
    return await context.run.once(`deliveries of ${context.row.package} that are sent again`, () => learn(context));
  } catch (error) {
    // Where there is no delivery, who needs one says so; where there is no room for one, nothing is known.
    if (error instanceof Unproven && !(error instanceof TargetFull)) return "delivered";
    throw error;
  }
}

/** A delivery that was not taken, and can be sent again. */
async function redeliverableUntaken(context: CaseContext): Promise<Delivery> {
  const until = (await redelivered(context)) === "being tried" ? "being tried" : "given up";
  const delivery = await untakenDelivery(context, until);
  if (until === "being tried" || isSettled(delivery.record)) return delivery;
  throw new Unproven("needs a webhook delivery that is given up; none was within patience.settleMs");
}

/** A delivery that can be sent again, of work that has just finished, to an endpoint and a hook of its own, which takes it now. */
export async function redeliverableDelivery(context: CaseContext): Promise<Delivery> {
  if ((await redelivered(context)) === "delivered") return settledDelivery(context);
  const delivery = await redeliverableUntaken(context);
  await delivery.hook.answerWith({ status: 200 });
  return delivery;
}

async function untakenSubject(context: CaseContext): Promise<Subject> {
  const { endpoint, record } = await redeliverableUntaken(context);
  return deliverySubject(context, endpoint, record);
}

/** So many deliveries that can be sent again. */
export async function redeliverableDeliveries(context: CaseContext, count: number): Promise<readonly Subject[]> {
  if ((await redelivered(context)) === "delivered") return createDeliveries(context, count, { goesOn: true });
  return Promise.all(Array.from({ length: count }, () => untakenSubject(context)));
}

/** A delivery that was given up, to a hook that takes it now. Throws ChosenOtherwise where none is given up in time. */
async function givenUp(context: CaseContext): Promise<Delivery> {
  const delivery = await untakenDelivery(context, "given up");
  if (!isSettled(delivery.record))
    throw new ChosenOtherwise("a delivery that is not taken is not given up within patience.settleMs");
  await delivery.hook.answerWith({ status: 200 });
  return delivery;
}

/** A delivery that was tried, and is to be tried again. Throws ChosenOtherwise where one is given up at once. */
async function pendingDelivery(context: CaseContext): Promise<Delivery> {
  const delivery = await untakenDelivery(context, "being tried");
  if (isSettled(delivery.record)) throw new ChosenOtherwise("a delivery that is not taken is given up at once");
  return delivery;
}

/** A delivery whose endpoint was disabled between two attempts, and is enabled again. Throws ChosenOtherwise where that does not end it. */
async function canceledDelivery(context: CaseContext): Promise<Delivery> {
  const { poll, setup, target } = context;
  const delivery = await pendingDelivery(context);
  const disabled = await updateEndpoint(context, delivery.endpoint, { enabled: false });
  context.needs(disabled);
  const ended = await poll(async () => {
    const now = await deliveryOf(context, delivery.endpoint, delivery.work);
    return now !== undefined && isSettled(now.record) ? now : undefined;
  }, target.settings.patience.settleMs);
  if (ended === undefined) throw new ChosenOtherwise("a delivery goes on though its endpoint is disabled");
  await delivery.hook.answerWith({ status: 200 });
  const endpoint = await enable(context, (await setup.current(delivery.endpoint)) ?? delivery.endpoint);
  return { ...delivery, endpoint, record: ended.record };
}

/** One in a state that it takes a while to come to; where it never came to it, no other is waited for. */
async function inState(context: CaseContext, state: string, make: () => Promise<Delivery>): Promise<Subject> {
  const { circuits } = context.run;
  const what = `a ${state} delivery of ${context.row.package}`;
  if (circuits.inVain(what) !== undefined) throw new ChosenOtherwise(`no delivery came to be ${state} in time`);
  try {
    const { endpoint, record } = await make();
    circuits.ended(what, true);
    return deliverySubject(context, endpoint, record);
  } catch (error) {
    if (error instanceof ChosenOtherwise) circuits.ended(what, false);
    throw error;
  }
}

/** Sends a delivery again, and returns it once it is at rest: as long as it is under way, it may be refused for that. */
export async function sentAgain(context: CaseContext, delivery: Subject): Promise<Subject> {
  const { row: about, run, setup, call, needs, signal } = context;
  const row = redeliveringRow(context);
  const reply = await call(row, await setup.request(row, delivery), { baseUrl: setup.baseUrl(row, delivery) });
  needs(reply);
  const isItself = sameJson(idIn(reply), delivery.id);
  const rested = await pollForDelivery(context, async () => {
    const now = await setup.current(delivery);
    // A listing that lags shows it as it was; where a redelivery is a record of its own, that may be how it is.
    const isShown = !isItself || now?.version !== delivery.version;
    return now !== undefined && isShown && isSettled(now.record) ? now : undefined;
  });
  await run.readLag.pass(about.package, signal);
  const now = rested && (await setup.current(rested));
  if (now !== undefined) return run.lateMoves.stood(context, now);
  if ((await redelivered(context)) === "being tried")
    throw new ChosenOtherwise("what is sent again and not taken is tried for longer than patience.deliveryMs");
  throw new Unproven("needs a delivery that is over once it was sent again");
}

/** A delivery that was sent again once. */
async function redeliveredSubject(context: CaseContext): Promise<Subject> {
  const [delivery] = await redeliverableDeliveries(context, 1);
  if (delivery === undefined) throw new Error("one delivery was made and none returned");
  return sentAgain(context, delivery);
}

/** The states of deliveries: a row that sends them again finds them in one that the target sends again. */
export const deliveryStates: Pick<Resource, "states" | "stateFor" | "sharedState" | "otherStates"> = {
  states: {
    listed: (context) => createDelivery(context, { goesOn: false }),
    untaken: untakenSubject,
    "given-up": (context) => inState(context, "given-up", () => givenUp(context)),
    canceled: (context) => inState(context, "canceled", () => canceledDelivery(context)),
    redelivered: redeliveredSubject,
    pending: (context) => inState(context, "pending", () => pendingDelivery(context)),
  },
  // Every other piece of work that finishes would be delivered to its endpoint, too.
  sharedState: "listed",
  otherStates: ({ change }) => (change === Change.REDELIVERS ? ["given-up", "canceled", "redelivered", "pending"] : []),
  stateFor: async (context, { change }) =>
    change === Change.REDELIVERS && (await redelivered(context)) !== "delivered" ? "untaken" : undefined,
};
