import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { idIn, recordIn } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { distinguishingFieldOf, siblingsOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { outcomeOf } from "./replay.ts";
import { countable, mutatesSteadyRecord } from "./rows.ts";

/** The RPC that creates what another RPC acts on, with copies that can be counted. */
function creatorOf(row: RpcRow): RpcRow | undefined {
  return siblingsOf(row).find(countable);
}

/** Mutations except completions: their effect shows only after the upload was checked, possibly after the reply. */
const repeatable = (row: RpcRow) => mutatesSteadyRecord(row) && row.change !== Change.COMPLETES;

/** True where a mutation has taken effect on a record. */
async function tookEffect(context: CaseContext, before: Subject): Promise<boolean> {
  const now = await untilSettled(context, before);
  const gone = now === undefined || context.setup.isTombstone(now.record);
  return context.row.effect === Effect.DELETE ? gone : now !== undefined && now.version !== before.version;
}

/** The control: true where the same mutation under a new requestId takes effect. */
async function wouldTakeEffect(context: CaseContext, before: Subject): Promise<boolean> {
  const { row, setup, call } = context;
  const control = await call(row, await setup.request(row, before), { baseUrl: setup.baseUrl(row, before) });
  return control.outcome === "served" && (await tookEffect(context, before));
}

/**
 * Judges that a mutation under a used requestId is either refused without effect, or served and takes effect: the server
 * must not answer it as a replay of the other request. A mutation that has no effect under a new requestId either, such
 * as a second revocation, proves nothing.
 */
async function judgeOwnEffect(
  context: CaseContext,
  before: Subject,
  reply: Reply,
  related: readonly Reply[],
): Promise<void> {
  const { judge, observe } = context;
  observe("*.open.changed-replay", `a mutation under a used requestId is ${outcomeOf(reply)}`);
  const applied = await tookEffect(context, before);
  const replayed = reply.outcome === "served" && !applied && (await wouldTakeEffect(context, before));
  judge(reply, undefined, related).satisfies(
    !replayed && reply.outcome !== "broken" && !(reply.outcome === "refused" && applied),
    "a refusal without effect, or a mutation that took effect",
    `${describeReply(reply)}; the record ${applied ? "has changed" : "is unchanged"}`,
  );
}

export const otherBody = defineRule({
  id: "idempotency/reused-request-id-with-other-body-is-not-a-replay",
  says: "a requestId reused with another body is refused or served as a new request, not answered as a replay",
  clauses: ["*.idempotency.changed-request", "*.idempotency.one-effect"],
  rows: countable,
  smoke: rowsNamed("alpha.v1.SecretService/CreateSecret"),
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const mark = distinguishingFieldOf(row) ?? "";
    const other = { ...request, [mark]: (await setup.request(row, undefined))[mark] ?? null };
    // Whether the record shows the first request's name is judged here, at this clause's level, not by the invariant.
    const reply = await call(row, other, { exempt: ["wire/records-show-what-was-stored"] });
    const record = recordIn(reply);
    const replayed = reply.outcome === "served" && !sameJson(record[mark], other[mark]);
    judge(reply).satisfies(
      !replayed && reply.outcome !== "broken",
      `a refusal, or a resource with the other ${mark}`,
      describeReply(reply),
    );
    observe("*.open.changed-replay", `a requestId with another request is ${outcomeOf(reply)}`);
    if (reply.outcome !== "refused") return;
    // What is refused is not to take the place of what was served.
    const again = await call(row, request);
    judge(again, "*.idempotency.one-effect", [first, reply]).satisfies(
      again.outcome !== "served" || sameJson(idIn(again), idIn(first)),
      `${showJson(idIn(first))}, as before, or a refusal`,
      again.outcome === "served" ? showJson(idIn(again)) : describeReply(again),
      "id",
    );
  },
});

export const otherDeletion = defineRule({
  id: "idempotency/reused-request-id-for-other-deletion-is-not-a-replay",
  says: "a requestId of a deletion reused to delete another resource is refused or deletes it, not answered as a replay",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) =>
    row.requestId !== undefined &&
    row.effect === Effect.DELETE &&
    row.ids.some(({ facts }) => facts.names === row.subject),
  async run(context) {
    const { row, setup, call, judge, needs, poll, target } = context;
    const [one, other] = [await setup.subjectOf(row), await setup.subjectOf(row)];
    if (one === undefined || other === undefined) throw new Error(`${row.name} has no subject`);
    const field = row.requestId?.name ?? "";
    const first = await callCurrent(context, one);
    needs(first);
    const { [field]: requestId = null } = first.request;
    const asked = await setup.request(row, other);
    const reply = await call(
      row,
      { ...asked, [field]: requestId },
      { baseUrl: setup.baseUrl(row, other), exempt: ["wire/records-match-the-requested-resource"] },
    );
    if (reply.outcome === "served") {
      const gone = await poll(async () => {
        const now = await setup.current(other);
        return now === undefined || setup.isTombstone(now.record) ? true : undefined;
      }, target.settings.patience.settleMs);
      judge(reply).satisfies(
        gone !== undefined,
        "a refusal, or a deletion of the resource that was named",
        "it is still there",
      );
      return;
    }
    judge(reply).isRefused({ because: "its requestId was used for another deletion" });
    judge(await callCurrent(context, other), "*.endpoints.served").isServed();
  },
});

export const otherRpc = defineRule({
  id: "idempotency/request-id-is-rpc-scoped",
  says: "a requestId that created a record and is reused to change or delete it is refused, or the mutation takes effect",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) => repeatable(row) && creatorOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, needs } = context;
    const creator = creatorOf(row);
    if (creator === undefined) throw new Error(`nothing creates a ${row.subject}`);
    const request = await setup.request(creator, undefined);
    const created = await call(creator, request);
    needs(created);
    const subject = setup.subjectIn(created);
    const used: JsonValue = request[creator.requestId?.name ?? ""] ?? null;
    // Below, the mutation is judged by its effect, not by the record in its reply.
    const exempt = ["wire/records-show-what-was-stored"];
    const asked = { ...(await setup.request(row, subject)), [row.requestId?.name ?? ""]: used };
    await judgeOwnEffect(context, subject, await call(row, asked, { exempt }), [created]);
  },
});

export const newVersion = defineRule({
  id: "idempotency/reused-request-id-with-new-version-is-not-a-replay",
  says: "a mutation repeated with the same requestId and the now current version is refused, or takes effect again",
  clauses: ["*.idempotency.changed-request"],
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
    if (now === undefined && row.change === Change.REVOKES) throw new ChosenOtherwise("what was revoked is not read");
    if (now === undefined || now.version === subject.version)
      throw new ChosenOtherwise(`${row.method} leaves the version as it was, of which another case tells`);
    const name = row.requestId?.name ?? "";
    const again = { ...(await setup.request(row, now)), [name]: request[name] ?? null };
    await judgeOwnEffect(context, now, await call(row, again, options), [first]);
  },
});

export const afterRefusal = defineRule({
  id: "idempotency/reused-request-id-after-a-refusal-is-not-a-replay",
  says: "a mutation repeated with the requestId of a call that was refused for its version, now with the right version, is refused or takes effect",
  clauses: ["*.idempotency.changed-request"],
  rows: repeatable,
  async run(context) {
    const { row, setup, call, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const options = { baseUrl: setup.baseUrl(row, subject) };
    const request = await setup.request(row, subject);
    const version = row.expectedVersion?.name ?? "";
    const wrong = { ...request, [version]: String(farFrom(numericVersion(subject))) };
    const refused = await call(row, wrong, options);
    if (refused.outcome !== "refused") throw new Unproven(`needs ${row.name} to refuse a version that is not current`);
    const retry = await call(row, request, options);
    await judgeOwnEffect(context, subject, retry, [refused]);
    // The positive control: under a new requestId the mutation is served.
    if (retry.outcome === "refused") needs(await call(row, await setup.request(row, subject), options));
  },
});
