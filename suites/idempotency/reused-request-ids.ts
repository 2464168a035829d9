import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { deleteRowOf, isChangeable, siblingsOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { countable, movedBy } from "./rows.ts";

/** The row that makes what another row acts on, so that its copies can be told. */
function makerOf(row: RpcRow): RpcRow | undefined {
  return siblingsOf(row).find(countable);
}

/** Mutations but completions: what a completion does shows only once what was uploaded has been checked, behind its reply. */
const repeatable = (row: RpcRow) => movedBy(row) && row.change !== Change.COMPLETES;

/** True where a mutation has left its mark on what the record was before. */
async function isDone(context: CaseContext, before: Subject): Promise<boolean> {
  const now = await untilSettled(context, before);
  const gone = now === undefined || context.setup.isTombstone(now.record);
  return context.row.effect === Effect.DELETE ? gone : now !== undefined && now.version !== before.version;
}

/** The same mutation under a requestId of its own: whether it leaves a mark where the one before left none. */
async function wouldBeDone(context: CaseContext, before: Subject): Promise<boolean> {
  const { row, setup, call } = context;
  const twin = await call(row, await setup.request(row, before), { baseUrl: setup.baseUrl(row, before) });
  return twin.outcome === "served" && (await isDone(context, before));
}

/**
 * Judges that a served mutation was done: what a server says it did under a requestId it knew, it did. What changes
 * nothing under a new one either, such as revoking again what is revoked, tells nothing.
 */
async function judgeDone(
  context: CaseContext,
  before: Subject,
  reply: Reply,
  related: readonly Reply[],
): Promise<void> {
  const { judge, observe } = context;
  observe(
    "*.open.changed-replay",
    reply.outcome === "refused"
      ? `a mutation under a used requestId is refused (${reply.error.reason ?? reply.error.code})`
      : `a mutation under a used requestId is ${reply.outcome}`,
  );
  const done = await isDone(context, before);
  const pretended = reply.outcome === "served" && !done && (await wouldBeDone(context, before));
  judge(reply, undefined, related).satisfies(
    !pretended && reply.outcome !== "broken" && !(reply.outcome === "refused" && done),
    "a refusal without effect, or a mutation that was done",
    `${describeReply(reply)}; what it was about ${done ? "has changed" : "is as it was"}`,
  );
}

export const onAnotherRpc = defineRule({
  id: "idempotency/request-id-is-rpc-scoped",
  says: "a requestId that made a record and is used to change or delete it is refused, or the mutation is done",
  clauses: ["*.idempotency.no-pretence"],
  rows: (row) => repeatable(row) && makerOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, needs } = context;
    const maker = makerOf(row);
    if (maker === undefined) throw new Error(`nothing makes a ${row.subject}`);
    const request = await setup.request(maker, undefined);
    const made = await call(maker, request);
    needs(made);
    const subject = setup.subjectIn(made);
    const used: JsonValue = request[maker.requestId?.name ?? ""] ?? null;
    // What the reply shows of the record is judged by its effect, below.
    const exempt = ["wire/records-show-what-was-stored"];
    const asked = { ...(await setup.request(row, subject)), [row.requestId?.name ?? ""]: used };
    await judgeDone(context, subject, await call(row, asked, { exempt }), [made]);
  },
});

export const changedMutation = defineRule({
  id: "idempotency/reused-request-id-with-new-version-is-not-a-replay",
  says: "a requestId sent again with the version that is current by then is refused, or the mutation is done again",
  clauses: ["*.idempotency.no-pretence"],
  rows: (row) => repeatable(row) && row.effect === Effect.UPDATE,
  async run(context) {
    const { row, setup, call, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const request = await setup.request(row, subject);
    const options = { baseUrl: setup.baseUrl(row, subject), exempt: ["wire/records-show-what-was-stored"] };
    const first = await call(row, request, options);
    needs(first);
    const now = await untilSettled(context, subject);
    if (now === undefined || now.version === subject.version)
      throw new Unproven(`needs ${row.name} to change the version, as another case asks`);
    const name = row.requestId?.name ?? "";
    const again = { ...(await setup.request(row, now)), [name]: request[name] ?? null };
    await judgeDone(context, now, await call(row, again, options), [first]);
  },
});

export const afterRefusal = defineRule({
  id: "idempotency/reused-request-id-after-a-refusal-is-not-a-replay",
  says: "a requestId whose call was refused for its version is refused again with the right one, or the mutation is done",
  clauses: ["*.idempotency.no-pretence"],
  rows: repeatable,
  async run(context) {
    const { row, setup, call, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const options = { baseUrl: setup.baseUrl(row, subject) };
    const request = await setup.request(row, subject);
    const version = row.expectedVersion?.name ?? "";
    const wrong = { ...request, [version]: String(BigInt(subject.version) + 1_000_000n) };
    const refused = await call(row, wrong, options);
    if (refused.outcome !== "refused") throw new Unproven(`needs ${row.name} to refuse a version that is not current`);
    const retry = await call(row, request, options);
    await judgeDone(context, subject, retry, [refused]);
    // The twin: under a requestId of its own the mutation is served.
    if (retry.outcome === "refused") needs(await call(row, await setup.request(row, subject), options));
  },
});

/** Judges that a replay left the record as it was. */
async function judgeKept(context: CaseContext, before: Subject, replay: Reply, related: readonly Reply[]) {
  const now = await context.setup.current(before);
  context
    .judge(replay, undefined, related)
    .satisfies(
      now?.version === before.version,
      `the record at version ${before.version}, as it was before the replay`,
      now === undefined ? "it is gone" : `version ${now.version}: ${showJson(now.record)}`,
      "resourceVersion",
    );
}

export const lateCreation = defineRule({
  id: "idempotency/replay-of-a-creation-after-a-change-has-no-effect",
  says: "repeating a creating call after its record was changed neither makes another nor takes the change back",
  clauses: ["*.idempotency.one-effect"],
  rows: (row) => countable(row) && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const changed = await setup.change(setup.subjectIn(first));
    if (changed === undefined) throw new Error(`nothing changes a ${row.subject}`);
    const before = await setup.countCreated(row, request);
    const replay = await call(row, request, { exempt: ["wire/records-show-what-was-stored"] });
    await judgeKept(context, changed, replay, [first]);
    const count = await setup.countCreated(row, request);
    judge(replay, undefined, [first]).satisfies(count === before, `${before} such records`, `there are ${count}`);
  },
});

export const lateMutation = defineRule({
  id: "idempotency/replay-of-a-mutation-after-a-change-has-no-effect",
  says: "repeating a mutation after somebody else's change, or after the deletion, has no second effect",
  clauses: ["*.idempotency.one-effect"],
  rows: (row) => movedBy(row) && row.effect === Effect.UPDATE && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const request: JsonObject = await setup.request(row, subject);
    const options = { baseUrl: setup.baseUrl(row, subject), exempt: ["wire/records-show-what-was-stored"] };
    const first = await call(row, request, options);
    needs(first);
    const mine = { ...subject, version: versionOf(recordIn(first)), record: recordIn(first) };
    const changed = await setup.change((await setup.current(mine)) ?? mine);
    if (changed === undefined) throw new Error(`nothing changes a ${row.subject}`);
    await judgeKept(context, changed, await call(row, request, options), [first]);

    const remove = deleteRowOf(row.subject, row.package);
    if (remove?.expectedVersion === undefined) return;
    needs(await call(remove, await setup.request(remove, changed), { baseUrl: options.baseUrl }));
    const late = await call(row, request, options);
    const now = await setup.current(changed);
    judge(late, undefined, [first]).satisfies(
      now === undefined || setup.isTombstone(now.record) || now.record.deletedAt !== undefined,
      "nothing of it is live",
      showJson(now?.record ?? null),
    );
  },
});
