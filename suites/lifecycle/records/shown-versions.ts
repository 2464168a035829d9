import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { allowRevisedUntouched } from "../../../harness/setup/late-revision.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { describeReply, mayBeRefusedForState, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { isChangeable, messageOf, namingFilters, siblingsOf } from "../../../proto/resources.ts";
import { ChangesItself, Effect, factsOf, type RpcRow } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { untilServed } from "../../common/current-call.ts";
import { allowStateRefusal } from "../../common/refused-states.ts";

const showing: readonly Effect[] = [Effect.CREATE, Effect.READ, Effect.LIST];
const conflict = "RESOURCE_VERSION_CONFLICT";
const unknown = "RESOURCE_NOT_FOUND";

/** A conditional mutation of the record that an RPC shows: its deletion, or else another. */
function mutationOf(row: RpcRow): RpcRow | undefined {
  const conditional = siblingsOf(row).filter(({ expectedVersion }) => expectedVersion !== undefined);
  return conditional.find(({ effect }) => effect === Effect.DELETE) ?? conditional[0];
}

/** The version of a subject as a reply of the RPC under test shows it. */
interface Shown {
  readonly reply: Reply;
  readonly subject: Subject;
  readonly record: JsonObject;
  readonly version: string;
}

async function show(context: CaseContext, subject: Subject): Promise<Shown | undefined> {
  const { row, setup, call, needs } = context;
  const { baseUrl } = subject;
  if (row.list === undefined) {
    const reply = await call(row, await setup.request(row, subject), { baseUrl, ...untilServed(row) });
    needs(reply);
    return { reply, subject, record: recordIn(reply), version: versionOf(recordIn(reply)) };
  }
  // A narrow listing is quicker, which matters for a subject that changes by itself.
  const request = { ...withoutState(row, await setup.request(row, subject)), ...namingFilters(row, subject.record) };
  const { records, replies, ended } = await listAll(context, row, request, { baseUrl });
  const record = findRecord(records, row, subject.id);
  // It shows no more of it later.
  if (record === undefined && !ended) throw new Unproven(`needs a listing that ends; ${row.method} leads on and on`);
  const reply = replies.find((one) => recordsIn(one).some((found) => found.record === record));
  return record && reply && { reply, subject, record, version: versionOf(record) };
}

/** A subject that has changed since the listing under test showed it first: one that keeps what it showed shows an older version. */
async function changedOnceListed(context: CaseContext, mutation: RpcRow, made: Subject): Promise<Subject> {
  const { row, setup } = context;
  if (row.list === undefined || !isChangeable(row)) return made;
  await show(context, made);
  const changed = (await orUndefined(setup.change(made))) ?? made;
  return mutation.effect === Effect.DELETE ? setup.deletable(changed) : changed;
}

/** Creates a subject by the RPC under test, or has that RPC show a new one. */
async function showFresh(context: CaseContext, mutation: RpcRow): Promise<Shown | undefined> {
  const { row, setup, call, needs } = context;
  if (row.effect !== Effect.CREATE) {
    const made = await setup.subjectOf(mutation);
    const subject = made && (await changedOnceListed(context, mutation, made));
    return subject && context.poll(() => show(context, subject), context.target.settings.patience.settleMs);
  }
  const reply = await call(row, await setup.request(row, undefined));
  needs(reply);
  const subject = setup.subjectIn(reply);
  if (isDefault(subject.id)) throw new Unproven(`needs the id of the ${row.subject} that ${row.method} made`);
  return { reply, subject, record: subject.record, version: subject.version };
}

/** True where a mutation refused the version: as a conflict, or in any way where no version was shown. */
function isVersionRefused(reply: Reply, version: string): boolean {
  return reply.outcome === "refused" && (version === "0" || reply.error.reason === conflict);
}

/** How many subjects may end, one after the other, while they are being shown. */
const maxEnded = 4;

/** A subject as the RPC under test shows it, and the reply to a mutation at the version shown. */
async function mutateAtShown(
  context: CaseContext,
  mutation: RpcRow,
): Promise<{ readonly shown: Shown; readonly reply: Reply }> {
  const { row, setup, call, target } = context;
  const name = mutation.expectedVersion?.name ?? "";
  let shown = await showFresh(context, mutation);
  if (shown === undefined) throw new Unproven(`needs a ${row.subject} that ${row.method} shows`);
  const { subject } = shown;
  const attempt = async ({ version }: Shown) =>
    call(
      mutation,
      { ...(await setup.request(mutation, subject)), [name]: version },
      { baseUrl: setup.baseUrl(mutation, subject) },
    );
  let reply = await attempt(shown);
  const mayBeVersionRefused = () =>
    isVersionRefused(reply, shown?.version ?? "") || (reply.outcome === "refused" && reply.error.reason === undefined);
  // A subject that changes by itself may have changed meanwhile: then it is shown at another version.
  await context.poll(async () => {
    if (!mayBeVersionRefused() || row.effect === Effect.CREATE) return true;
    const again = await show(context, subject);
    // An ended subject allows no mutation at any version.
    if (again === undefined || isOver(again.record)) return true;
    // A listing may lag.
    if (again.version === shown?.version) return row.list === undefined ? true : undefined;
    shown = again;
    reply = await attempt(again);
    return undefined;
  }, target.settings.patience.settleMs);
  return { shown, reply };
}

/** Throws ChosenOtherwise where what was just made is deleted in another state only than the one it begins in. */
async function allowDeletionRefused({ setup }: CaseContext, reply: Reply, subject: Subject): Promise<void> {
  if (!mayBeRefusedForState(reply) || (await setup.deletable(subject)) === subject) return;
  throw new ChosenOtherwise(`${reply.row.method} is refused for the state a ${subject.kind} begins in`);
}

/** Throws ChosenOtherwise where what others do holds a record back from its deletion: a delivery that waits to go to an endpoint. */
function allowHeld(reply: Reply, mutation: RpcRow, { kind }: Subject): void {
  if (reply.outcome !== "refused" || reply.error.reason !== "FAILED_PRECONDITION") return;
  if (mutation.effect !== Effect.DELETE) return;
  throw new ChosenOtherwise(`${mutation.method} is refused for the state of a ${kind}`);
}

/** Judges that a mutation accepts the id and the version that a record is shown with. */
async function judgeAccepted(context: CaseContext): Promise<void> {
  const { row, setup, judge, needs } = context;
  const mutation = mutationOf(row);
  if (mutation === undefined) return;
  let tried = await mutateAtShown(context, mutation);
  // A subject that ended while it was being shown allows no mutation: then another one is tried.
  for (let more = maxEnded; more > 0 && tried.reply.outcome === "refused"; more -= 1) {
    if (!isOver((await setup.current(tried.shown.subject))?.record ?? {})) break;
    tried = await mutateAtShown(context, mutation);
  }
  const { shown, reply } = tried;
  const { subject } = shown;
  // The id of a record that only a listing shows can be wrong, too.
  if (row.list !== undefined && reply.outcome === "refused" && reply.error.reason === unknown) {
    const expected = `an id of a ${row.subject} that ${mutation.method} accepts`;
    judge(shown.reply, "*.records.agree", [reply]).satisfies(false, expected, showJson(subject.id), "id");
    return;
  }
  if (row.effect === Effect.CREATE) {
    allowStateRefusal(reply, subject);
    if (mutation.effect === Effect.DELETE) await allowDeletionRefused(context, reply, subject);
  }
  allowHeld(reply, mutation, subject);
  const versionRefused = isVersionRefused(reply, shown.version);
  if (!versionRefused) needs(reply);
  else await allowRevisedUntouched(context, subject);
  judge(shown.reply, undefined, [reply]).satisfies(
    !versionRefused,
    `a version that ${mutation.method} accepts`,
    `${shown.version}: ${describeReply(reply)}`,
    "resourceVersion",
  );
}

export const accepted = defineRule({
  id: "lifecycle/shown-version-is-accepted-by-a-mutation",
  says: "a mutation accepts the id and the version that a record is shown with, by a listing also once it has changed",
  clauses: ["*.versioning.carried", "*.records.agree"],
  rows: (row) =>
    showing.includes(row.effect) &&
    messageOf(row)?.fields.some((field) => factsOf(field).resourceVersion) === true &&
    mutationOf(row) !== undefined &&
    // A record that work changes after its creation has changed before it can be mutated.
    (row.effect !== Effect.CREATE || row.changesItself !== ChangesItself.BY_WORK),
  run: (context) => inBothTenants(context, judgeAccepted),
});
