import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { numericVersion } from "../../../harness/setup/integer.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { deleteRowOf, isChangeable, listRowOf, subjectFieldOf } from "../../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../../proto/rpcs.ts";
import { callCurrent } from "../../common/current-call.ts";
import { allowStateRefusal } from "../../common/refused-states.ts";
import { isShownDeleted } from "./shown-deleted.ts";

/** Creates a subject and deletes it. */
async function deleteFresh(context: CaseContext): Promise<{ readonly subject: Subject; readonly deleted: Reply }> {
  const { row, setup, call, needs } = context;
  const made = await setup.subjectOf(row);
  if (made === undefined) throw new Error(`${row.name} has no subject`);
  let subject = await setup.deletable((await setup.current(made)) ?? made);
  const deletes = setup.deleteOf(row.subject);
  const baseUrl = setup.baseUrl(deletes, subject);
  const deleted = await callAsItIsNow(context, subject, async (current) => {
    subject = current;
    return call(deletes, await setup.request(deletes, current), { baseUrl });
  });
  allowStateRefusal(deleted, subject);
  needs(deleted);
  return { subject, deleted };
}

/** Whether a listing shows a subject, where its kind is listed at all. */
async function isListed(context: CaseContext, subject: Subject): Promise<boolean> {
  const { row, setup } = context;
  const list = listRowOf(subject.kind, row.package);
  if (list === undefined) return true;
  const request = withoutState(list, await setup.request(list, subject));
  const { records } = await listAll(context, list, request, { baseUrl: subject.baseUrl });
  return findRecord(records, list, subject.id) !== undefined;
}

/** The versions a deleted record may be taken to be at: that of its deletion, as far as that or a read shows it, and that before it. */
function versionsOf(subject: Subject, deleted: Reply, gone: Subject | undefined): readonly string[] {
  const shown = [versionOf(recordIn(deleted)), gone?.version ?? "0"].filter((version) => version !== "0");
  const next = String(numericVersion(subject) + 1n);
  return [...new Set([subject.version, next, ...shown])];
}

/**
 * The call that a change of something deleted is to be blamed on: the change, or the deletion, where another one shows that what
 * was deleted once is deleted again at the version it is shown at, as if it were there.
 */
async function culpritOf(context: CaseContext, deleted: Reply, changed: Reply): Promise<Reply> {
  const { setup, call } = context;
  const { subject } = await deleteFresh(context);
  const left = await setup.current(subject);
  if (left === undefined) return changed;
  const again = await call(deleted.row, await setup.request(deleted.row, left), { baseUrl: subject.baseUrl });
  return again.outcome === "served" ? deleted : changed;
}

/** Rows that change what is there as often as one likes, and the one that makes what was pending available. */
const isChange = (row: RpcRow) => isChangeable(row) || row.change === Change.COMPLETES;

export const deletedChanges = defineRule({
  id: "lifecycle/deleted-resource-is-not-brought-back",
  says: "a change of a deleted resource does not bring it back, whatever version it expects, and is not served as if it were there",
  clauses: ["*.deletion.effective"],
  rows: (row) =>
    row.effect === Effect.UPDATE &&
    row.expectedVersion !== undefined &&
    isChange(row) &&
    subjectFieldOf(row) !== undefined &&
    deleteRowOf(row.subject, row.package, row.peers) !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    // The positive control: what is not deleted can be changed so.
    needs(await callCurrent(context, await setup.subjectOf(row)));
    const { subject, deleted } = await deleteFresh(context);
    const isGone = (seen: Subject | undefined) => seen === undefined || isShownDeleted(context, seen.record);
    const look = () => setup.current(subject);
    // What a read of something deleted answers is not shown: that it is deleted, the listing tells.
    if (!isGone(await look()) && !(await isListed(context, subject)))
      throw new ChosenOtherwise(`a read of a ${subject.kind} that was deleted shows it as it was`);
    // A listing may lag.
    const gone = await lookUntil(context, look, isGone);
    if (!isGone(gone)) throw new Unproven(`needs a ${subject.kind} that is gone once it was deleted`);
    for (const version of versionsOf(subject, deleted, gone)) {
      const request = await setup.request(row, { ...subject, version });
      const changed = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
      const now = await setup.current(subject);
      const isStillGone = now === undefined || isShownDeleted(context, now.record);
      // A server that keeps what was deleted may say so in the reply.
      const isNotServed = changed.outcome !== "served" || isShownDeleted(context, recordIn(changed));
      const culprit = isStillGone && isNotServed ? changed : await culpritOf(context, deleted, changed);
      const judged = judge(culprit, undefined, [culprit === changed ? deleted : changed]);
      judged.satisfies(
        isStillGone,
        `the ${subject.kind} gone, or shown as deleted, as before`,
        `after a change that expected version ${version}, ${changed.outcome}, it is ${showJson(now?.record)}`,
      );
      judged.satisfies(
        isNotServed,
        `a refusal, or a ${subject.kind} that is shown as deleted`,
        `a change that expected version ${version} is served, and shows ${showJson(recordIn(changed))}`,
      );
    }
  },
});
