import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { showsOwnDelivery } from "../../harness/setup/own-delivery.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Change, CredentialKind, Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { isCanceled } from "../../proto/states.ts";
import { callWith } from "../common/refusals.ts";
import { isShownDeleted } from "../lifecycle/records/deletion.ts";

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

/**
 * Judges that work which a reply shows as being canceled is read as that, or as canceled, at some time before it ends another
 * way. That it is canceled in the end is not shown, nor that it shows no other state on the way.
 */
async function judgeCanceled(context: CaseContext, { reply, subject, by, reader }: Done): Promise<void> {
  const told = textAt(recordIn(reply), "state");
  if (!isCanceled(told)) return;
  const states: string[] = [];
  await lookUntil(
    context,
    async () => states.push(textAt((await readAs(context, subject, reader)) ?? {}, "state")),
    () => isCanceled(states.at(-1) ?? "") || isOver({ state: states.at(-1) ?? "" }),
  );
  const [first = "", last = ""] = [states[0], states.at(-1)];
  // A cancellation may come too late: then the first reading already shows another end.
  context
    .judge(reply, "*.records.agree")
    .satisfies(
      first === "" || isOver({ state: first }) || isCanceled(last),
      `work that is read as being canceled, as a ${CredentialKind[reader]} reads it, once its cancellation ${by} was answered by ${told}`,
      states.filter((state, index) => state !== states[index - 1]).join(", "),
      `${context.row.record?.name}.state`,
    );
}

export const seenByAnotherKind = defineRule({
  id: "auth/what-each-credential-kind-does-is-seen-by-another",
  says: "what was created, changed, canceled or deleted with one kind of credential is read so with another kind",
  clauses: ["*.records.agree", "*.versioning.advances", "*.deletion.effective"],
  rows: changesByKinds,
  async run(context) {
    const { row, setup, needs } = context;
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
      if (showsOwnDelivery(reply, subject?.id ?? null)) continue;
      const done: Done = { reply, subject: subject ?? setup.subjectIn(reply), version, by, reader };
      await (row.change === Change.CANCELS ? judgeCanceled : judgeSeen)(context, done);
    }
  },
});
