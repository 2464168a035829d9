import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { ownDeliveryChoice, showsOwnDelivery } from "../../harness/setup/own-delivery.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Change, CredentialKind, Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { isCanceled } from "../../proto/states.ts";
import { callWith } from "../common/current-call.ts";
import { isShownDeleted } from "../lifecycle/records/shown-deleted.ts";

/** Rows that several kinds of credential may change something by, which can be read afterwards. */
const changesByKinds = (row: RpcRow) => row.credentials.length > 1 && !isReadOnly(row) && row.record !== undefined;

/** Kinds of credential in the row's order, each with the kind that reads what it did. The first is the usual one: it reads what the others did. */
function pairsOf(row: RpcRow): readonly (readonly [acts: CredentialKind, reads: CredentialKind])[] {
  const [first, second] = row.credentials;
  const reads = readRowOf(row.subject, row.package, row.peers);
  return row.credentials.flatMap((kind) => {
    const reader = kind === first ? second : first;
    if (reader === undefined) return [];
    // What only a listing shows is looked up as usual.
    if (kind === first && reads?.credentials.includes(reader) !== true) return [];
    return [[kind, reader] as const];
  });
}

/** Reads a subject by a kind of credential; undefined where it is not there. */
async function readAs(context: CaseContext, subject: Subject, kind: CredentialKind): Promise<JsonObject | undefined> {
  const { row, setup, needs } = context;
  const reads = readRowOf(subject.kind, row.package, row.peers);
  if (reads === undefined) return (await setup.current(subject))?.record;
  const reply = await setup.read(subject, { as: await setup.credentialOfKind(kind, reads, subject) });
  if (reply.outcome === "refused") return undefined;
  needs(reply);
  return recordIn(reply);
}

/** What came of a call by one kind of credential, as another one is to see it. */
interface Done {
  readonly reply: Reply;
  readonly subject: Subject;
  /** The version that was changed; empty where there was none. */
  readonly version: string;
  readonly by: string;
  readonly reader: CredentialKind;
}

/** Whether a record is no longer shown as being there. */
const isGone = (context: CaseContext, record: JsonObject | undefined) =>
  record === undefined || isShownDeleted(context, record);

/** Judges that the reading of another kind of credential shows what was created, changed or deleted. */
async function judgeSeen(context: CaseContext, { reply, subject, version, by, reader }: Done): Promise<void> {
  const { row, judge } = context;
  const isSeen = (record: JsonObject | undefined) => {
    if (row.effect === Effect.DELETE) return isGone(context, record);
    return record !== undefined && (row.effect === Effect.CREATE || versionOf(record) !== version);
  };
  const seen = await lookUntil(context, () => readAs(context, subject, reader), isSeen);
  const as = `as a ${CredentialKind[reader]} reads it`;
  const is = seen === undefined ? "it is not there" : `it is at version ${versionOf(seen)}`;
  if (row.effect === Effect.DELETE)
    judge(reply, "*.deletion.effective").satisfies(isSeen(seen), `what was deleted ${by} gone, ${as}`, is);
  else if (row.effect === Effect.CREATE)
    judge(reply, "*.records.agree").satisfies(isSeen(seen), `what was created ${by}, ${as}`, is);
  else
    judge(reply, "*.versioning.advances").satisfies(
      isSeen(seen),
      `another version than ${version} once it was changed ${by}, ${as}`,
      is,
    );
}

/** A cancellation that was answered as one, and whether a reading shows it, at any time and in the end. */
interface Canceled {
  readonly done: Done;
  readonly isSeen: boolean;
  readonly stays: boolean;
  readonly states: readonly string[];
}

/**
 * How work is read whose cancellation was answered as one: as being canceled, or as canceled, at some time before it ends
 * another way. Undefined where nothing can be said of it: a reply may show work as it was, and a cancellation come too late.
 */
async function lookAtCanceled(context: CaseContext, done: Done): Promise<Canceled | undefined> {
  if (!isCanceled(textAt(recordIn(done.reply), "state"))) return undefined;
  const states: string[] = [];
  await lookUntil(
    context,
    async () => states.push(textAt((await readAs(context, done.subject, done.reader)) ?? {}, "state")),
    // To its end: work that is shown as being canceled may go on all the same.
    () => isOver({ state: states.at(-1) ?? "" }),
  );
  const [first = "", last = ""] = [states[0], states.at(-1)];
  if (!isCanceled(last) && (first === "" || isOver({ state: first }))) return undefined;
  return { done, isSeen: states.some(isCanceled), stays: isCanceled(last), states };
}

/**
 * Judges that a cancellation has an effect with every kind of credential, where it has one with any. That work is canceled
 * at all once that was accepted is not shown.
 */
function judgeCanceled({ judge, row }: CaseContext, canceled: readonly Canceled[]): void {
  const seen = canceled.find(({ isSeen }) => isSeen);
  if (seen === undefined) throw new ChosenOtherwise("cancellations are accepted that do not show afterwards");
  // Where work goes on all the same, that it was being canceled shows for a moment only, and may be missed.
  const lasts = canceled.some(({ stays }) => stays);
  for (const { done, isSeen, states } of canceled) {
    const reads = `as a ${CredentialKind[done.reader]} reads it`;
    judge(done.reply, "*.records.agree").satisfies(
      isSeen || !lasts,
      `work that is being canceled, ${reads}, once its cancellation ${done.by} was accepted, as after one ${seen.done.by}`,
      states.filter((state, index) => state !== states[index - 1]).join(", "),
      `${row.record?.name}.state`,
    );
  }
}

export const seenByAnotherKind = defineRule({
  id: "auth/what-each-credential-kind-does-is-seen-by-another",
  says: "what was created, changed, canceled or deleted with one kind of credential is read so with another kind",
  clauses: ["*.records.agree", "*.versioning.advances", "*.deletion.effective"],
  rows: changesByKinds,
  async run(context) {
    const { row, setup, needs } = context;
    const canceled: Canceled[] = [];
    for (const [kind, reader] of pairsOf(row)) {
      const by = `by a ${CredentialKind[kind]}`;
      let version = "";
      const subject = await setup.subjectOf(row);
      const as = await setup.credentialOfKind(kind, row, subject);
      const reply = await callWith(context, subject, async (current) => {
        version = current?.version ?? "";
        return { request: await setup.request(row, current), options: { as } };
      });
      needs(reply);
      // Versions of two records say nothing of each other.
      if (showsOwnDelivery(reply, subject?.id ?? null)) throw new ChosenOtherwise(ownDeliveryChoice);
      const done: Done = { reply, subject: subject ?? setup.subjectIn(reply), version, by, reader };
      if (row.change !== Change.CANCELS) await judgeSeen(context, done);
      else canceled.push(...[await lookAtCanceled(context, done)].filter((one) => one !== undefined));
    }
    if (row.change === Change.CANCELS) judgeCanceled(context, canceled);
  },
});
