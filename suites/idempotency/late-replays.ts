import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { deleteRowOf, distinguishingFieldOf, isChangeable, messageOf, storedFields } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { countUntil } from "../common/created-count.ts";
import { deleteNew } from "../common/refused-states.ts";
import { countable, mutatesSteadyRecord } from "./rows.ts";

export const creationAfterDeletion = defineRule({
  id: "idempotency/replay-does-not-recreate-a-deleted-resource",
  says: "a replay of a creating call after its resource was deleted does not create it again",
  clauses: ["*.idempotency.one-effect"],
  rows: countable,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const request = await setup.request(row, undefined);
    const made = await call(row, request);
    needs(made);
    const subject = setup.subjectIn(made);
    await deleteNew(context, subject);
    // A replay may show the record as it is now.
    const replay = await call(row, request, { exempt: ["wire/records-show-what-was-stored"] });
    const count = await countUntil(context, request, 0);
    judge(replay, undefined, [made]).satisfies(count === 0, "no live resource", `there are ${count}`);
  },
});

/** The stored fields that were changed since a call, and hold again what it sent. */
function putBack(row: RpcRow, before: Subject, now: Subject, sent: JsonObject): readonly string[] {
  const message = messageOf(row);
  if (message === undefined) return [];
  const names = new Set(storedFields(row).map(({ jsonName }) => jsonName));
  const kept = new Set(differences(message, sent, now.record, names));
  return differences(message, before.record, now.record, names).filter((name) => !kept.has(name));
}

/** Whether a record stays at its version when a call is replayed once more: then it may have moved by itself before. */
async function standsStill({ row, setup, call }: CaseContext, subject: Subject, { request }: Reply): Promise<boolean> {
  const before = await setup.current(subject);
  const options = { baseUrl: setup.baseUrl(row, subject), exempt: ["wire/records-show-what-was-stored"] };
  await call(row, request, options);
  const now = await setup.current(subject);
  return before !== undefined && now?.version === before.version;
}

/**
 * Judges that a replay left the record unchanged: at its version, and without what the call had sent. Where that expects a version
 * which was left behind, no server does it once more, whether it knows the requestId or not.
 */
async function judgeUnchanged(context: CaseContext, before: Subject, replay: Reply, related: readonly Reply[]) {
  const { row, setup, judge, observe } = context;
  // A reading may lag, and show the record as it was before the change.
  const now = await lookUntil(
    context,
    () => setup.current(before),
    (seen) => seen?.version === before.version && putBack(row, before, seen, replay.request).length === 0,
  );
  const judgement = judge(replay, undefined, related);
  const [name = ""] = now === undefined ? [] : putBack(row, before, now, replay.request);
  const expected = row.expectedVersion === undefined ? "" : textAt(replay.request, row.expectedVersion.name);
  if (expected !== "" && expected !== before.version && now !== undefined)
    judge(replay, "*.versioning.expected", related).satisfies(
      name === "",
      `a refusal, or no effect: the version ${expected} it expects is not the current ${before.version}`,
      `${name} is ${showJson(now.record[name] ?? null)}, as the replayed call sent it`,
      name,
    );
  const hasMoved = now !== undefined && now.version !== before.version;
  if (hasMoved && name === "" && (await standsStill(context, before, replay))) {
    observe("*.open.version-step", `the version of a ${before.kind} moves by itself`);
    return;
  }
  const isKept = judgement.satisfies(
    now?.version === before.version,
    `the record at version ${before.version}, as it was before the replay`,
    now === undefined ? "it is gone" : `version ${now.version}: ${showJson(now.record)}`,
    "resourceVersion",
  );
  if (!isKept || now === undefined) return;
  judgement.satisfies(
    name === "",
    `${name} ${showJson(before.record[name] ?? null)}, as it was before the replay`,
    `${showJson(now.record[name] ?? null)}, as the replayed call sent it`,
    name,
  );
}

export const creationAfterChange = defineRule({
  id: "idempotency/replay-of-a-creation-after-a-change-has-no-effect",
  says: "a replay of a creating call after its record was changed neither creates another nor undoes the change",
  clauses: ["*.idempotency.one-effect"],
  rows: (row) => countable(row) && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const changed = await setup.change(setup.subjectIn(first));
    if (changed === undefined) throw new Error(`nothing changes a ${row.subject}`);
    const mark = distinguishingFieldOf(row) ?? "";
    const listed = sameJson(changed.record[mark], request[mark]) ? 1 : 0;
    const before = await countUntil(context, request, listed);
    const replay = await call(row, request, { exempt: ["wire/records-show-what-was-stored"] });
    await judgeUnchanged(context, changed, replay, [first]);
    const after = await countUntil(context, request, before);
    judge(replay, undefined, [first]).satisfies(after === before, `${before} such records`, `there are ${after}`);
  },
});

export const mutationAfterChange = defineRule({
  id: "idempotency/replay-of-a-mutation-after-a-change-has-no-effect",
  says: "a replay of a mutation after another client's change, or after the deletion, has no second effect",
  clauses: ["*.idempotency.one-effect", "*.versioning.expected"],
  rows: (row) => mutatesSteadyRecord(row) && row.effect === Effect.UPDATE && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const request: JsonObject = await setup.request(row, subject);
    const options = { baseUrl: setup.baseUrl(row, subject), exempt: ["wire/records-show-what-was-stored"] };
    const first = await call(row, request, options);
    needs(first);
    const after = { ...subject, version: versionOf(recordIn(first)), record: recordIn(first) };
    // A listing may lag.
    const now = await lookUntil(
      context,
      () => setup.current(after),
      (seen) => seen === undefined || after.version === "0" || seen.version === after.version,
    );
    // Whether what was revoked is read any more is open, and what is not read shows no effect.
    if (now === undefined && row.change === Change.REVOKES) throw new ChosenOtherwise("what was revoked is not read");
    const changed = await setup.change(now ?? after);
    if (changed === undefined) throw new Error(`nothing changes a ${row.subject}`);
    await judgeUnchanged(context, changed, await call(row, request, options), [first]);

    const remove = deleteRowOf(row.subject, row.package);
    if (remove?.expectedVersion === undefined) return;
    const ready = await setup.deletable(changed);
    needs(await call(remove, await setup.request(remove, ready), { baseUrl: options.baseUrl }));
    const late = await call(row, request, options);
    const isGone = (seen: Subject | undefined) =>
      seen === undefined || setup.isTombstone(seen.record) || seen.record.deletedAt !== undefined;
    const left = await lookUntil(context, () => setup.current(changed), isGone);
    judge(late, undefined, [first]).satisfies(isGone(left), "no live resource", showJson(left?.record ?? null));
  },
});
