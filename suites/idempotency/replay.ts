import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { idIn, recordIn } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { distinguishingFieldOf } from "../../proto/resources.ts";
import { Effect } from "../../proto/rpcs.ts";
import { countable, making } from "./rows.ts";

/** Judges that all served replies name one resource, and that one is listed. */
async function judgeOneEffect(context: CaseContext, request: JsonObject, replies: readonly Reply[]): Promise<void> {
  const { row, judge, observe } = context;
  const served = replies.filter((reply) => reply.outcome === "served");
  const [first] = served;
  const last = replies.at(-1);
  if (last === undefined) return;
  if (first !== undefined) context.needs(first);
  const ids = served.map(idIn);
  judge(served.at(-1) ?? last, undefined, served.slice(0, -1)).satisfies(
    ids.every((id) => sameJson(id, ids[0])),
    `every reply names ${showJson(ids[0])}`,
    showJson(ids),
    "id",
  );
  const count = first === undefined ? undefined : await context.setup.countCreated(row, request);
  if (first !== undefined && count !== undefined) {
    judge(first).satisfies(count <= 1, "one resource", `there are ${count}`);
  }
  for (const reply of replies.slice(1)) {
    const secret = row.plaintext.some((field) => reply.outcome === "served" && reply.json[field.name] !== undefined);
    const repeated = row.plaintext.length === 0 ? "" : secret ? ", with its credential" : ", without its credential";
    observe(
      "*.open.replay",
      reply.outcome === "served" ? `a replay is served${repeated}` : `a replay is ${describeKind(reply)}`,
    );
  }
}

function describeKind(reply: Reply): string {
  return reply.outcome === "refused" ? `refused (${reply.error.reason ?? reply.error.code})` : reply.outcome;
}

export const sequential = defineRule({
  id: "idempotency/replay-has-one-effect",
  says: "repeating a creating call with its requestId makes one resource, one after the other or at once",
  clauses: ["*.idempotency.one-effect"],
  rows: making,
  async run(context) {
    const { row, setup, call, needs } = context;
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const again = await call(row, request);
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => call(row, request)));
    await judgeOneEffect(context, request, [first, again, ...atOnce]);
  },
});

export const parallel = defineRule({
  id: "idempotency/concurrent-first-calls-have-one-effect",
  says: "calls sent at once with one new requestId make one resource",
  clauses: ["*.idempotency.one-effect"],
  rows: making,
  async run(context) {
    const { row, setup, call } = context;
    const request = await setup.request(row, undefined);
    const replies = await Promise.all(Array.from({ length: 8 }, () => call(row, request)));
    if (replies.every((reply) => reply.outcome !== "served")) context.needs(replies[0] as Reply);
    await judgeOneEffect(context, request, replies);
  },
});

export const lost = defineRule({
  id: "idempotency/retry-after-lost-response-has-one-effect",
  says: "a call whose response was lost, sent again with its requestId, makes one resource",
  clauses: ["*.idempotency.one-effect"],
  rows: countable,
  async run(context) {
    const { row, setup, call, callAndHangUp } = context;
    const request = await setup.request(row, undefined);
    await callAndHangUp(row, request);
    const retry = await call(row, request);
    // The first call may still be under way when the retry is refused as its duplicate.
    const settled =
      retry.outcome === "served"
        ? retry
        : await context.poll(async () => {
            const later = await call(row, request);
            return later.outcome === "served" ? later : undefined;
          }, 1000);
    await judgeOneEffect(context, request, [settled ?? retry]);
    if (settled === undefined) {
      const count = await setup.countCreated(row, request);
      context
        .judge(retry)
        .satisfies(count === 1, "one resource, made by the call whose response was lost", `there are ${count}`);
    }
  },
});

/**
 * Kinds whose version may move on after a mutation for as long as work goes on: whether that was repeated is asked
 * elsewhere, of the receiver of a redelivery and of the history of a job. A choice of ours.
 */
const askedElsewhere = new Set(["job", "webhook_delivery"]);

export const mutation = defineRule({
  id: "idempotency/replayed-mutation-has-one-effect",
  says: "repeating a mutation with its requestId changes the resource once",
  clauses: ["*.idempotency.one-effect"],
  rows: (row) => row.requestId !== undefined && row.effect === Effect.UPDATE && !askedElsewhere.has(row.subject),
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const subject = await setup.subjectOf(row);
    const request = await setup.request(row, subject);
    const options = { baseUrl: setup.baseUrl(row, subject) };
    const first = await call(row, request, options);
    needs(first);
    const after = subject === undefined ? undefined : await untilSettled(context, subject);
    const replies = await Promise.all(Array.from({ length: 3 }, () => call(row, request, options)));
    const now = subject === undefined ? undefined : await untilSettled(context, subject);
    judge(replies.at(-1) ?? first, undefined, [first]).satisfies(
      now?.version === after?.version,
      `version ${after?.version}, as after the first call`,
      `${now?.version}`,
      "resourceVersion",
    );
    for (const reply of replies)
      observe("*.open.replay", `a repeated mutation is ${reply.outcome === "served" ? "served" : describeKind(reply)}`);
  },
});

export const changed = defineRule({
  id: "idempotency/reused-request-id-with-other-body-is-not-a-replay",
  says: "a requestId sent again with another request is refused or served as new, not answered as if it had been done",
  clauses: ["*.idempotency.no-pretence"],
  rows: countable,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const request = await setup.request(row, undefined);
    needs(await call(row, request));
    const mark = distinguishingFieldOf(row) ?? "";
    const other = { ...request, [mark]: (await setup.request(row, undefined))[mark] ?? null };
    // That the record shows the first request's name is this case's question, at its own level.
    const reply = await call(row, other, { exempt: ["wire/records-show-what-was-stored"] });
    const record = recordIn(reply);
    const pretended = reply.outcome === "served" && !sameJson(record[mark], other[mark]);
    judge(reply).satisfies(
      !pretended && reply.outcome !== "broken",
      `a refusal, or a resource of the other ${mark}`,
      describeReply(reply),
    );
    observe(
      "*.open.changed-replay",
      `a requestId with another request is ${reply.outcome === "served" ? "served" : describeKind(reply)}`,
    );
  },
});

export const changedDeletion = defineRule({
  id: "idempotency/reused-request-id-for-other-deletion-is-not-a-replay",
  says: "a requestId of a deletion sent again for something else is refused or deletes it, not answered as if it had been done",
  clauses: ["*.idempotency.no-pretence"],
  rows: (row) =>
    row.requestId !== undefined &&
    row.effect === Effect.DELETE &&
    row.ids.some(({ facts }) => facts.names === row.subject),
  async run(context) {
    const { row, setup, call, judge, needs, poll, target } = context;
    const [one, other] = [await setup.subjectOf(row), await setup.subjectOf(row)];
    if (one === undefined || other === undefined) throw new Error(`${row.name} has no subject`);
    const field = row.requestId?.name ?? "";
    const request = await setup.request(row, one);
    needs(await call(row, request, { baseUrl: setup.baseUrl(row, one) }));
    const asked = await setup.request(row, other);
    const reply = await call(
      row,
      { ...asked, [field]: request[field] ?? null },
      { baseUrl: setup.baseUrl(row, other), exempt: ["wire/records-match-the-requested-resource"] },
    );
    if (reply.outcome === "served") {
      const gone = await poll(async () => {
        const now = await setup.current(other);
        return now === undefined || setup.isTombstone(now.record) ? true : undefined;
      }, target.settings.patience.settleMs);
      judge(reply).satisfies(gone !== undefined, "a refusal, or what was named gone", "it is still there");
      return;
    }
    judge(reply).isRefused({ because: "its requestId was used for another deletion" });
    judge(await call(row, asked, { baseUrl: setup.baseUrl(row, other) }), "*.endpoints.served").isServed();
  },
});

export const afterDeletion = defineRule({
  id: "idempotency/replay-does-not-recreate-a-deleted-resource",
  says: "repeating a creating call after its resource was deleted brings nothing back",
  clauses: ["*.idempotency.one-effect"],
  rows: countable,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const request = await setup.request(row, undefined);
    const made = await call(row, request);
    needs(made);
    const subject = setup.subjectIn(made);
    const remove = setup.deleteOf(row.subject);
    needs(await call(remove, await setup.request(remove, subject)));
    const replay = await call(row, request);
    const count = await setup.countCreated(row, request);
    judge(replay, undefined, [made]).satisfies(count === 0, "nothing of it is live", `there are ${count}`);
  },
});
