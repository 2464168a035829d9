import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { versionNumber } from "../../harness/oracles/watch.ts";
import { deliveryFields, listDeliveriesOf, namesWork } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { mentions } from "../../harness/setup/webhook-arrival.ts";
import { createEnabledEndpoint, creatingRow } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { readJson } from "../../harness/wire/strict-json.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import { type RaceOutcome, raceToChange, startSteadyWork } from "./steady-work.ts";

/** RPCs that change a job or run, or the approval it waits for: webhooks report such changes. */
const changesWork = ({ change, expectedVersion }: RpcRow) =>
  (change === Change.CANCELS || change === Change.DECIDES) && expectedVersion !== undefined;

/** Concurrent calls at one version. */
const rivals = 6;

/** Fields of an endpoint that subscribes to every change of a run's state; only beta.v1 has event types. */
function allRunEvents(context: CaseContext): JsonObject {
  const chooses = creatingRow(context).input.fields.some(({ jsonName }) => jsonName === "eventTypes");
  const of = ["STATE_CHANGED", "COMPLETED", "FAILED", "OUTCOME_UNKNOWN"];
  return chooses ? { eventTypes: of.map((what) => `WEBHOOK_EVENT_TYPE_RUN_${what}`) } : {};
}

/** For each piece of work, the ids of the events in an endpoint's deliveries about it, once those deliveries have settled. */
async function eventsAbout(context: CaseContext, endpoint: Subject, works: readonly Subject[]) {
  const { poll, signal, target } = context;
  const { about } = deliveryFields(context);
  const { deliveryMs, quietMs } = target.settings.patience;
  const list = async () => {
    const { records } = await listDeliveriesOf(context, endpoint);
    return works.map((work) => records.filter((record) => namesWork(record[about], work)));
  };
  await poll(
    async () => {
      const lists = await list();
      return lists.every((records) => records.length > 0 && records.every(isSettled)) ? true : undefined;
    },
    Math.min(deliveryMs, 4 * quietMs),
  );
  // A delivery caused by a loser would arrive about now.
  await sleep(quietMs / 2, signal);
  return (await list()).map((records) => new Set(records.map(({ eventId }) => showJson(eventId).toLowerCase())));
}

/** All objects in a JSON value that look like the record of some work: they have its id, a version and a state. */
function recordsIn(value: JsonValue | undefined, work: Subject): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((one) => recordsIn(one, work));
  if (!isObject(value)) return [];
  const inner = Object.values(value).flatMap((one) => recordsIn(one, work));
  const names = [value.id, value[`${work.kind}Id`]];
  const isRecord = names.some((one) => sameJson(one, work.id)) && textAt(value, "resourceVersion") !== "";
  return isRecord && textAt(value, "state") !== "" ? [value, ...inner] : inner;
}

/** Judges that webhook requests about some work name no refused request, and show only states that the work had. */
async function judgeDelivered(
  context: CaseContext,
  hook: Hook,
  { work, winner, losers, shown }: RaceOutcome,
): Promise<void> {
  const { setup, judge, row } = context;
  if (winner === undefined) return;
  const refused = losers.map(({ request }) => textAt(request, `${row.requestId?.name ?? ""}.value`));
  const naming = hook.delivered.find((request) => mentions(request, refused));
  judge(winner, undefined, losers.slice(0, 1)).satisfies(
    naming === undefined,
    "deliveries that name no refused request",
    "one names the requestId of a call that lost",
  );
  const states = new Map<string, string>();
  const last = await setup.current(work);
  const won = row.subject === work.kind ? [recordIn(winner)] : [];
  for (const record of [work.record, ...shown, ...won, ...(last === undefined ? [] : [last.record])]) {
    states.set(textAt(record, "runResourceVersion") || versionOf(record), textAt(record, "state"));
  }
  const delivered = hook.delivered.flatMap(({ body }) => {
    const reading = readJson(body);
    return reading.ok ? recordsIn(reading.value, work) : [];
  });
  // A watch may skip versions, but none can be later than the last.
  const final = versionNumber(last?.version);
  const wrong = delivered.find((record) => {
    const version = versionNumber(versionOf(record));
    const state = states.get(versionOf(record));
    if (state !== undefined) return state !== textAt(record, "state");
    return version !== undefined && final !== undefined && version > final;
  });
  // The content of a webhook request is open; where it contains a record, the record must be right.
  judge(winner, "*.webhooks.records", losers.slice(0, 1)).satisfies(
    wrong === undefined,
    `deliveries that show the ${work.kind} as it was at ${[...states].map(([version, state]) => `${version} (${state})`).join(", ")}`,
    `one shows it ${textAt(wrong, "state")} at version ${versionOf(wrong ?? {})}`,
  );
}

/** Races to change one piece of work, changes another without a race (the control), and counts the events of each. */
async function compare(context: CaseContext) {
  const [rest, other] = await Promise.all([startSteadyWork(context), startSteadyWork(context)]);
  // Only now: it hears of whatever else goes on, too.
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url, allRunEvents(context));
  const [raced, control] = await Promise.all([raceToChange(context, rest, rivals), raceToChange(context, other, 1)]);
  const [ofRaced = new Set(), ofControl = new Set()] = await eventsAbout(context, endpoint, [rest.work, other.work]);
  await judgeDelivered(context, hook, raced);
  // Work may take one step more or less by itself.
  const steps = Math.max(0, raced.shown.length - control.shown.length);
  return { raced, maxEvents: ofControl.size + steps, count: ofRaced.size };
}

export const losersNotDelivered = defineRule({
  id: "version/losers-of-a-race-trigger-no-webhooks",
  says: "webhooks report the same events for work that many calls raced to change as for work that one call changed, and nothing of a loser",
  clauses: ["*.versioning.expected", "*.webhooks.records"],
  rows: changesWork,
  aboutDeliveries: true,
  async run(context) {
    const { judge } = context;
    let seen = await compare(context);
    // One more event may be chance; a loser's would come each time.
    if (seen.count > seen.maxEvents) seen = await compare(context);
    const { raced, maxEvents, count } = seen;
    if (raced.winner === undefined) return;
    judge(raced.winner, undefined, raced.losers.slice(0, 1)).satisfies(
      count <= maxEvents,
      `deliveries of at most ${maxEvents} events, as without a race`,
      `deliveries of ${count} events`,
    );
  },
});
