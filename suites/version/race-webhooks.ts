import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { versionNumber } from "../../harness/oracles/watch.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { watchRun } from "../../harness/setup/beta/run-stream.ts";
import { deliveryFields, listDeliveriesOf } from "../../harness/setup/delivery-record.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { mentions } from "../../harness/setup/webhook-arrival.ts";
import { createEnabledEndpoint, creatingRow } from "../../harness/setup/webhook-endpoint.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver, isSettled } from "../../harness/wire/states.ts";
import { readJson } from "../../harness/wire/strict-json.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";

/** Calls that change work of whose changes webhooks tell, or what it waits for. */
const changesWork = ({ change, expectedVersion }: RpcRow) =>
  (change === Change.CANCELS || change === Change.DECIDES) && expectedVersion !== undefined;

/** Sent at once on one version. */
const rivals = 6;

/** Looks at work that does not get under way, before it is taken to rest where it began. */
const maxLooks = 4;

/** Races that come to nothing, because the work moved on by itself, before another is given up. */
const maxRaces = 5;

/** Fields of an endpoint that hears of every state a run comes to; only beta.v1 has types of events. */
function hearingAll(context: CaseContext): JsonObject {
  const chooses = creatingRow(context).input.fields.some(({ jsonName }) => jsonName === "eventTypes");
  const of = ["STATE_CHANGED", "COMPLETED", "FAILED", "OUTCOME_UNKNOWN"];
  return chooses ? { eventTypes: of.map((what) => `WEBHOOK_EVENT_TYPE_RUN_${what}`) } : {};
}

/** Work that rests, and what of it the row changes: the work itself, or the approval it waits for. */
interface Resting {
  readonly work: Subject;
  readonly changed: Subject;
}

/** Work whose version rests: what comes of it from here on is what callers make of it. */
async function restingWork(context: CaseContext): Promise<Resting> {
  const { row, setup } = context;
  if (row.change !== Change.DECIDES) {
    const work = await restingSlowly(context);
    return { work, changed: work };
  }
  const started = await startRun(context, "approval");
  const changed = await awaitApproval(context, started);
  return { work: (await setup.current(started)) ?? started, changed };
}

async function restingSlowly(context: CaseContext): Promise<Subject> {
  const { row, setup, signal, target, poll } = context;
  const work = await (row.package === "alpha.v1" ? startJob(context, "slow") : startRun(context, "slow"));
  const { settleMs, quietMs } = target.settings.patience;
  let known = work.version;
  let looks = 0;
  const resting = await poll(async () => {
    await sleep(quietMs / 10, signal);
    const now = (await setup.current(work)) ?? work;
    looks = now.version === known ? looks + 1 : 0;
    known = now.version;
    // Work need not move before it rests.
    const rests = looks >= (now.version === work.version ? maxLooks : 1);
    return rests ? { ...work, record: now.record, version: now.version } : undefined;
  }, settleMs);
  if (resting === undefined) throw new Unproven(`needs a slow ${work.kind} that gets under way, and rests`);
  return resting;
}

/** What came of some work that so many calls changed at once. */
interface Ended {
  readonly work: Subject;
  readonly winner: Reply | undefined;
  readonly losers: readonly Reply[];
  /** Everything a watcher saw of it. */
  readonly shown: readonly JsonObject[];
}

/** Sends the row's call so many times at once, on the version there is, until one of them is served; then waits for the end. */
async function changeAtOnce(context: CaseContext, { work, changed }: Resting, many: number): Promise<Ended> {
  const { row, setup, call, target } = context;
  const watch = () => (row.package === "alpha.v1" ? watchJob(context, work, undefined) : watchRun(context, work));
  const isPast = ({ record }: Subject) =>
    isOver(record) || (changed !== work && textAt(record, "state") !== textAt(changed.record, "state"));
  const change = async () => {
    const losers: Reply[] = [];
    // Connections are opened first: on new ones calls come one by one.
    const [first] = await Promise.all(Array.from({ length: many }, () => setup.current(changed)));
    let now = first === undefined ? changed : { ...changed, record: first.record, version: first.version };
    for (let races = 0; races < maxRaces; races += 1) {
      const requests = await Promise.all(Array.from({ length: many }, () => setup.request(row, now)));
      const replies = await Promise.all(requests.map((request) => call(row, request, { baseUrl: changed.baseUrl })));
      losers.push(...replies.filter(({ outcome }) => outcome === "refused"));
      const winners = replies.filter(({ outcome }) => outcome === "served");
      // That more than one wins is what another case tells.
      if (winners.length > 0) return { winner: winners.length === 1 ? winners[0] : undefined, losers };
      const current = (await setup.current(changed)) ?? now;
      if (isPast(current)) break;
      now = { ...now, record: current.record, version: current.version };
    }
    throw new Unproven(`needs a ${changed.kind} that ${row.method} changes`);
  };
  // Two watches would keep the changes from being sent where no more may be asked at once: then they come after them.
  const watching = target.limits.concurrency > 2 ? watch() : undefined;
  // Whatever it fails by is told once the changes are through.
  watching?.catch(() => {});
  const ended = await change();
  const watched = await (watching ?? watch());
  return { work, ...ended, shown: "jobs" in watched ? watched.jobs : watched.events };
}

/** Ids of the events that an endpoint's deliveries about some work link, once those there are have come to their end. */
async function eventsAbout(context: CaseContext, endpoint: Subject, works: readonly Subject[]) {
  const { poll, signal, target } = context;
  const { about } = deliveryFields(context);
  const { deliveryMs, quietMs } = target.settings.patience;
  const list = async () => {
    const { records } = await listDeliveriesOf(context, endpoint);
    return works.map((work) => records.filter((record) => sameJson(record[about], work.id)));
  };
  await poll(
    async () => {
      const lists = await list();
      return lists.every((records) => records.length > 0 && records.every(isSettled)) ? true : undefined;
    },
    Math.min(deliveryMs, 4 * quietMs),
  );
  // A loser's would come about now.
  await sleep(quietMs / 2, signal);
  return (await list()).map((records) => new Set(records.map(({ eventId }) => showJson(eventId).toLowerCase())));
}

/** Whatever in a JSON value looks like the record of some work: it has its id, a version and a state. */
function recordsIn(value: JsonValue | undefined, work: Subject): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((one) => recordsIn(one, work));
  if (!isObject(value)) return [];
  const inner = Object.values(value).flatMap((one) => recordsIn(one, work));
  const names = [value.id, value[`${work.kind}Id`]];
  const isRecord = names.some((one) => sameJson(one, work.id)) && textAt(value, "resourceVersion") !== "";
  return isRecord && textAt(value, "state") !== "" ? [value, ...inner] : inner;
}

/** Judges that what came to a hook about some work tells of nobody's request that was refused, and of states there were. */
async function judgeTold(context: CaseContext, hook: Hook, { work, winner, losers, shown }: Ended): Promise<void> {
  const { setup, judge, row } = context;
  if (winner === undefined) return;
  const refused = losers.map(({ request }) => textAt(request, `${row.requestId?.name ?? ""}.value`));
  const telling = hook.delivered.find((request) => mentions(request, refused));
  judge(winner, undefined, losers.slice(0, 1)).satisfies(
    telling === undefined,
    "deliveries that tell of no request that was refused",
    "one names the requestId of a call that lost",
  );
  const states = new Map<string, string>();
  const last = await setup.current(work);
  const won = row.subject === work.kind ? [recordIn(winner)] : [];
  for (const record of [work.record, ...shown, ...won, ...(last === undefined ? [] : [last.record])]) {
    states.set(textAt(record, "runResourceVersion") || versionOf(record), textAt(record, "state"));
  }
  const told = hook.delivered.flatMap(({ body }) => {
    const reading = readJson(body);
    return reading.ok ? recordsIn(reading.value, work) : [];
  });
  // A watch may leave versions out; beyond the last there is none.
  const final = versionNumber(last?.version);
  const wrong = told.find((record) => {
    const version = versionNumber(versionOf(record));
    const state = states.get(versionOf(record));
    if (state !== undefined) return state !== textAt(record, "state");
    return version !== undefined && final !== undefined && version > final;
  });
  // What a request to a hook holds is not shown; where it holds a record, it is the one there was.
  judge(winner, "*.webhooks.records", losers.slice(0, 1)).satisfies(
    wrong === undefined,
    `deliveries that show the ${work.kind} as it was at ${[...states].map(([version, state]) => `${version} (${state})`).join(", ")}`,
    `one shows it ${textAt(wrong, "state")} at version ${versionOf(wrong ?? {})}`,
  );
}

/** Races for one piece of work, changes another with nobody in the way, and tells what events there were of each. */
async function compare(context: CaseContext, hook: Hook, endpoint: Subject) {
  const [rest, other] = await Promise.all([restingWork(context), restingWork(context)]);
  const [raced, alone] = await Promise.all([changeAtOnce(context, rest, rivals), changeAtOnce(context, other, 1)]);
  const [ofRaced = new Set(), ofAlone = new Set()] = await eventsAbout(context, endpoint, [rest.work, other.work]);
  await judgeTold(context, hook, raced);
  // Work may take a step more or less by itself.
  const steps = Math.max(0, raced.shown.length - alone.shown.length);
  return { raced, most: ofAlone.size + steps, count: ofRaced.size };
}

export const losersUntold = defineRule({
  id: "version/losers-of-a-race-trigger-no-webhooks",
  says: "webhooks tell of work that many calls raced to change what they tell of work that one call changed, and of no loser",
  clauses: ["*.versioning.expected", "*.webhooks.records"],
  rows: changesWork,
  async run(context) {
    const { run, judge } = context;
    const hook = (await run.receiver()).hook();
    const endpoint = await createEnabledEndpoint(context, hook.url, hearingAll(context));
    let seen = await compare(context, hook, endpoint);
    // One event more may be chance; a loser's comes each time.
    if (seen.count > seen.most) seen = await compare(context, hook, endpoint);
    const { raced, most, count } = seen;
    if (raced.winner === undefined) return;
    judge(raced.winner, undefined, raced.losers.slice(0, 1)).satisfies(
      count <= most,
      `deliveries of ${most} events at most, as where nobody raced`,
      `deliveries of ${count} events`,
    );
  },
});
