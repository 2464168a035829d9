import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { untilRecorded } from "../../harness/setup/delivery-record.ts";
import { idIn, listAll, versionOf } from "../../harness/setup/subject.ts";
import { requestsOf } from "../../harness/setup/webhook-arrival.ts";
import { redeliveryRequest, settledDelivery } from "../../harness/setup/webhook-delivery.ts";
import { listAt, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { listRowOf } from "../../proto/resources.ts";
import { Change, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { countable, making } from "./rows.ts";

/**
 * The field of a creating request that names what its record is found by: of a kind that is made at will, so that what
 * is made for one of them alone can be counted. The last is the closest.
 */
function parentOf(row: RpcRow): FactField | undefined {
  const shown = new Set(
    listRowOf(row.subject, row.package, row.peers) && row.resource?.fields.map((one) => one.jsonName),
  );
  const isMade = (kind: string) => row.peers.some((one) => one.subject === kind && making(one));
  return row.ids.findLast(({ name, facts }) => isMade(facts.names) && shown.has(name));
}

/** True where a record holds an id in a field, alone or among others. */
function holds(record: JsonObject, field: string, id: JsonValue): boolean {
  const value = record[field];
  return Array.isArray(value) ? listAt(record, field).some((one) => sameJson(one, id)) : sameJson(value, id);
}

export const counted = defineRule({
  id: "idempotency/replay-creates-nothing-new",
  says: "however often a creating call is repeated, a listing shows one thing made for what it names",
  clauses: ["*.idempotency.one-effect"],
  rows: (row) => making(row) && !countable(row) && parentOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge } = context;
    const [parent, list] = [parentOf(row), listRowOf(row.subject, row.package)];
    if (parent === undefined || list === undefined) throw new Error(`nothing shows what ${row.name} made`);
    const { id } = await setup.fresh(parent.facts.names);
    const request = {
      ...(await setup.request(row, undefined)),
      [parent.name]: parent.field.fieldKind === "list" ? [id] : id,
    };
    const replies = await Promise.all(Array.from({ length: 4 }, () => call(row, request)));
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
    const made = setup.subjectIn(first);
    const within = made.within ?? {};
    const asked = { ...(await setup.request(list, undefined)), ...within };
    const { records, replies: pages } = await listAll(context, list, asked, { baseUrl: await setup.homeUrl(list) });
    const count = records.filter((record) => holds(record, parent.name, id)).length;
    judge(first, undefined, pages.slice(-1)).satisfies(
      count === 1,
      `one ${row.subject} with the ${parent.name} asked for`,
      `${list.method} shows ${count}`,
    );
  },
});

/** Waits until no more requests have come to a hook for a while. */
async function whenQuiet(context: CaseContext, count: () => number): Promise<void> {
  const { quietMs } = context.target.settings.patience;
  let [seen, since] = [count(), performance.now()];
  await context.poll(async () => {
    if (count() !== seen) [seen, since] = [count(), performance.now()];
    return performance.now() - since > quietMs ? true : undefined;
  }, 4 * quietMs);
}

/** A redelivery and its repetitions, and how many requests the receiver got for them. */
interface Repeated {
  readonly replies: readonly Reply[];
  readonly came: number;
}

/** Makes a redelivery, and repeats it with its requestId. Undefined where a delivery cannot be told from others. */
async function repeatRedelivery(context: CaseContext): Promise<Repeated | undefined> {
  const { row, call, needs, observe } = context;
  const { hook, endpoint, work, record } = await settledDelivery(context);
  if (requestsOf(context, hook, work, record).length === 0) {
    observe("*.open.webhook-form", "a delivery names nothing it could be told by");
    return undefined;
  }
  await whenQuiet(context, () => hook.delivered.length);
  const before = requestsOf(context, hook, work, record).length;
  const request = await redeliveryRequest(context, record, versionOf(record));
  const options = { baseUrl: endpoint.baseUrl };
  const first = await call(row, request, options);
  needs(first);
  const came = () => requestsOf(context, hook, work, record).length - before;
  await context.poll(async () => (came() > 0 ? true : undefined), context.target.settings.patience.deliveryMs);
  await untilRecorded(context, endpoint, work, isSettled);
  // In turn, each when the one before may have been sent: of what is under way already nothing new need come.
  const replies = [first];
  for (let nth = 0; nth < 3; nth += 1) {
    replies.push(await call(row, request, options));
    await whenQuiet(context, came);
  }
  return { replies, came: came() };
}

export const redelivered = defineRule({
  id: "idempotency/replayed-redelivery-is-sent-once",
  says: "repeating a redelivery with its requestId sends its event once more, not once for each call",
  clauses: ["*.idempotency.one-effect"],
  rows: ({ change, requestId }) => change === Change.REDELIVERS && requestId !== undefined,
  async run(context) {
    const { judge, observe } = context;
    let repeated = await repeatRedelivery(context);
    // An attempt that is made again for a reason of its own hardly is so twice.
    if (repeated !== undefined && repeated.came > 1) repeated = await repeatRedelivery(context);
    if (repeated === undefined) return;
    const [first, ...replays] = repeated.replies;
    const last = replays.at(-1) ?? first;
    if (first === undefined || last === undefined) return;
    judge(last, undefined, [first]).satisfies(
      repeated.came <= 1,
      "one more request to the receiver",
      `${repeated.came} came`,
    );
    for (const reply of replays) observe("*.open.replay", `a repeated redelivery is ${reply.outcome}`);
  },
});
