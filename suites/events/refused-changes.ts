import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { deliveryFields, deliveryOf } from "../../harness/setup/delivery-record.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { refusingOnly, requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import {
  createEnabledEndpoint,
  hearing,
  settableFields,
  updateEndpoint,
} from "../../harness/setup/webhook-endpoint.ts";
import { openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { switches } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { type Refusable, refusableCalls } from "../common/callers-without.ts";

const canceled = "WEBHOOK_DELIVERY_STATE_CANCELED";

const updatesEndpoints = (row: RpcRow) => row.subject === "webhook_endpoint" && switches(row);

/** An endpoint whose version has moved: its current one, and one that it had before. */
interface Moved {
  readonly endpoint: Subject;
  readonly outdated: string;
}

/** An enabled endpoint at a hook that was at another url before. Throws ChosenOtherwise where that did not move its version. */
async function moved(context: CaseContext, hook: Hook): Promise<Moved> {
  const elsewhere = await openHook(context);
  const made = await pastVersionZero(context, await createEnabledEndpoint(context, elsewhere.url));
  // What moved it past version zero may have changed what it hears of.
  const reply = await updateEndpoint(context, made, { url: hook.url, enabled: true, ...hearing(context) });
  context.needs(reply);
  const record = recordIn(reply);
  const version = versionOf(record);
  if (version === made.version) throw new ChosenOtherwise("an endpoint that is updated stays at its version");
  return { endpoint: { ...made, record, version }, outdated: made.version };
}

/** Makes the call of the case's row for an endpoint; an update would make these changes. */
async function callFor(
  { row, setup, call }: CaseContext,
  endpoint: Subject,
  changes: JsonObject,
  options: CallOptions = {},
): Promise<Reply> {
  const kept = settableFields(row).map((field) => [field, endpoint.record[field] ?? null] as const);
  const shown = Object.fromEntries(kept.filter(([, value]) => value !== null));
  const fields = switches(row) ? { ...shown, ...changes } : {};
  const request = { ...(await setup.request(row, endpoint)), ...fields, ...freshRequestId(row, setup) };
  return call(row, request, { baseUrl: endpoint.baseUrl, ...options });
}

const becauseOutdated = ({ endpoint, outdated }: Moved) =>
  `version ${outdated} is not that of the endpoint: it is at ${endpoint.version}`;

/** Makes the call at a version that the endpoint had before, and judges that it is refused. */
async function judgeOutdated(context: CaseContext, subject: Moved, changes: JsonObject) {
  const reply = await callFor(context, { ...subject.endpoint, version: subject.outdated }, changes);
  return { reply, isRefused: context.judge(reply).isRefused({ because: becauseOutdated(subject) }) };
}

export const target = defineRule({
  id: "events/refused-update-moves-no-deliveries",
  says: "an update of an endpoint that is refused for its version does not have the deliveries go to the url that it names",
  clauses: ["*.versioning.expected"],
  rows: updatesEndpoints,
  async run(context) {
    const { judge } = context;
    const [hook, refusedHook] = await Promise.all([openHook(context), openHook(context)]);
    const subject = await moved(context, hook);
    const { reply: refused, isRefused } = await judgeOutdated(context, subject, { url: refusedHook.url });
    if (!isRefused) return;
    const work = await finishedWork(context);
    // What is sent to whichever url to try it out names no work.
    const astray = () => requestsOf(context, refusedHook, work).length;
    const either = await pollForDelivery(context, async () =>
      astray() > 0 || requestsOf(context, hook, work).length > 0 ? true : undefined,
    );
    const arrived = either === true || (await untilDelivered(context, hook, subject.endpoint, work));
    if (!arrived) throw new Unproven("needs a delivery to the endpoint's own url, the positive control");
    judge(refused).satisfies(
      astray() === 0,
      "no delivery at the url of the refused call",
      `${astray()} came there for work that finished later`,
    );
  },
});

/** How often it is tried anew where the delivery was given up before the call was made. */
const maxTrials = 4;

/** The state of the delivery of some work to an endpoint, where there is one. */
async function recordOf(context: CaseContext, endpoint: Subject, work: Subject): Promise<JsonObject> {
  return (await deliveryOf(context, endpoint, work))?.record ?? {};
}

/** Makes a call that would disable or delete an endpoint, and judges that it is refused. */
async function judgeRefusable(
  context: CaseContext,
  endpoint: Subject,
  { because, clause, as, version = endpoint.version }: Refusable,
) {
  const options = as === undefined ? {} : { as };
  const reply = await callFor(context, { ...endpoint, version }, { enabled: false }, options);
  return { reply, isRefused: context.judge(reply, clause).isRefused({ because }) };
}

/** One trial: a delivery that was not taken, calls that are refused before it is tried again, and what comes of it. */
async function tryOnce(
  context: CaseContext,
  isAsked: (one: Refusable) => boolean,
): Promise<"too late" | "over" | "canceled"> {
  const { judge, poll, target } = context;
  const hooks = await Promise.all([openHook(context, { status: 500 }), openHook(context, { status: 500 })]);
  const [hook, controlHook] = hooks;
  const subject = await moved(context, hook);
  const control = await createEnabledEndpoint(context, controlHook.url);
  const all = await refusableCalls(context, subject.endpoint, subject.outdated, becauseOutdated(subject));
  const refused = all.filter(isAsked);
  if (refused.length === 0) return "over";
  const work = await finishedWork(context);
  const attempts = (one: Hook) => requestsOf(context, one, work).length;
  const refuseOnlyThis = hooks.map((one) => refusingOnly(context, one, work));
  const began = await pollForDelivery(context, async () =>
    hooks.every((one) => one.delivered.length > 0) ? true : undefined,
  );
  if (began === undefined) throw new Unproven("needs a first attempt of a delivery");
  const before = await pollForDelivery(context, () => deliveryOf(context, subject.endpoint, work));
  if (before === undefined) throw new Unproven("needs a delivery of finished work");
  if (isSettled(before.record)) return "too late";
  const since = attempts(hook);
  const made = await Promise.all(refused.map((one) => judgeRefusable(context, subject.endpoint, one)));
  if (!made.every(({ isRefused }) => isRefused)) return "over";
  // What is tried again is not canceled.
  await poll(async () => {
    await Promise.all(refuseOnlyThis.map((narrow) => narrow()));
    const { state } = await recordOf(context, subject.endpoint, work);
    return state === canceled || attempts(hook) > since + 1 ? true : undefined;
  }, target.settings.patience.quietMs);
  const now = await recordOf(context, subject.endpoint, work);
  if (now.state === canceled) {
    // Whether what is given up, or what an endpoint does not take, is canceled is not shown: the other one tells.
    const other = await pollForDelivery(context, async () => {
      const record = await recordOf(context, control, work);
      return isSettled(record) ? record : undefined;
    });
    if (other?.state === canceled) throw new ChosenOtherwise("a delivery that is not taken is canceled in the end");
    // Of several, nobody knows which one did.
    if (made.length > 1) return "canceled";
  }
  for (const [index, { reply }] of made.entries())
    judge(reply, refused[index]?.clause).satisfies(
      now.state !== canceled,
      "a pending delivery that the refused call did not cancel, like that of another endpoint",
      showJson(now.state),
      `${deliveryFields(context).list}[].state`,
    );
  return "over";
}

/** Tries anew where the delivery was given up before the calls were made. */
async function tryUntilInTime(context: CaseContext, isAsked: Parameters<typeof tryOnce>[1]) {
  for (let trial = 0; trial < maxTrials; trial += 1) {
    const came = await tryOnce(context, isAsked);
    if (came !== "too late") return came;
  }
  throw new ChosenOtherwise("the target gives a delivery up before its endpoint can be changed");
}

/** The clauses that the calls are refused by, one each. */
const refusalClauses = ["*.versioning.expected", "*.auth.required", "*.auth.scope"] as const;

export const pending = defineRule({
  id: "events/refused-change-cancels-no-deliveries",
  says: "a change or deletion of an endpoint that is refused, for its version or for its caller, leaves the deliveries alone that wait for another attempt",
  clauses: refusalClauses,
  rows: (row) => row.subject === "webhook_endpoint" && row.expectedVersion !== undefined,
  async run(context) {
    if ((await tryUntilInTime(context, () => true)) !== "canceled") return;
    for (const refusedBy of refusalClauses) await tryUntilInTime(context, ({ clause }) => clause === refusedBy);
  },
});

export const later = defineRule({
  id: "events/refused-change-stops-no-deliveries",
  says: "an endpoint whose deletion, or rotation, is refused for its version hears of later work, as another endpoint does",
  clauses: ["*.versioning.expected"],
  // Of an update, where the deliveries go tells as much.
  rows: (row) => row.subject === "webhook_endpoint" && row.expectedVersion !== undefined && !switches(row),
  async run(context) {
    const [hook, controlHook] = await Promise.all([openHook(context), openHook(context)]);
    const endpoint = await createEnabledEndpoint(context, hook.url);
    const control = await createEnabledEndpoint(context, controlHook.url);
    const far = String(farFrom(numericVersion(endpoint)));
    const { reply: refused, isRefused } = await judgeOutdated(context, { endpoint, outdated: far }, {});
    if (!isRefused) return;
    const work = await finishedWork(context);
    if (!(await untilDelivered(context, controlHook, control, work))) {
      throw new Unproven("needs a delivery to another endpoint, the positive control");
    }
    context
      .judge(refused)
      .satisfies(
        await untilDelivered(context, hook, endpoint, work),
        "a delivery to the endpoint, as there was one to another",
        "none came for work that finished later",
      );
  },
});
