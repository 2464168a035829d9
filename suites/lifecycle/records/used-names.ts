import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { freshRequestId } from "../../../harness/setup/request-id.ts";
import { idIn } from "../../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { deleteRowOf, distinguishingFieldOf, recordFields } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";
import { deleteNew } from "../../common/refused-states.ts";
import { isShownDeleted } from "./shown-deleted.ts";

/** Rows that make a record by a name, url or external id, and whose record can be deleted. */
const named = (row: RpcRow) =>
  row.effect === Effect.CREATE &&
  row.record !== undefined &&
  distinguishingFieldOf(row) !== undefined &&
  deleteRowOf(row.subject, row.package, row.peers) !== undefined;

/** What a second creation by the same name came to. */
function seen(again: Reply, first: Reply): string {
  if (again.outcome !== "served") return again.outcome;
  return sameJson(idIn(again), idIn(first)) ? "answered with the first" : "served, with another record";
}

/** The first record as a second creation left it, where that was answered with it: it may have stored what it was sent. */
const changed = (again: Reply, first: Reply): Reply | undefined =>
  again.outcome === "served" && sameJson(idIn(again), idIn(first)) ? again : undefined;

/** A record that was deleted, where it is live all the same: readings may lag. */
async function findLive(context: CaseContext, deleted: Subject): Promise<Subject | undefined> {
  const { setup, row } = context;
  const { id } = recordFields(row);
  // What is read by its external id may be its successor.
  const isLive = (now: Subject | undefined) =>
    now !== undefined && sameJson(now.record[id], deleted.id) && !isShownDeleted(context, now.record);
  const now = await lookUntil(
    context,
    () => setup.current(deleted),
    (seen) => !isLive(seen),
  );
  return isLive(now) ? now : undefined;
}

export const namesAgain = defineRule({
  id: "lifecycle/names-used-again-are-observed",
  says: "whether a name, url or external user id may be used twice, and again after a deletion, is recorded; what was deleted is not back then",
  clauses: ["*.open.field-constraints", "*.deletion.effective"],
  rows: named,
  async run(context) {
    const { row, setup, call, needs, judge, observe } = context;
    const mark = distinguishingFieldOf(row) ?? "";
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    // A new requestId: a call of its own. All else is the same, as who knows the name may answer with the record there is.
    const repeated = () => ({ ...request, ...freshRequestId(row, setup) });
    const again = await call(row, repeated());
    observe("*.open.field-constraints", `a second ${row.subject} of the same ${mark} is ${seen(again, first)}`);
    const made = seen(again, first).startsWith("served") ? [first, again] : [changed(again, first) ?? first];
    for (const reply of made) await deleteNew(context, setup.subjectIn(reply));
    const gone: Subject[] = [];
    for (const deleted of made.map((reply) => setup.subjectIn(reply)))
      if ((await findLive(context, deleted)) === undefined) gone.push(deleted);
    const later = await call(row, repeated());
    observe("*.open.field-constraints", `the ${mark} of a deleted ${row.subject} is ${seen(later, first)}`);
    for (const deleted of later.outcome === "served" ? gone : []) {
      // Who is answered with the first has asked for it.
      if (sameJson(idIn(later), deleted.id)) continue;
      const back = await findLive(context, deleted);
      judge(later, "*.deletion.effective", made).satisfies(
        back === undefined,
        `the deleted ${row.subject} gone as before, beside the new one of its ${mark}`,
        showJson(back?.record),
      );
    }
  },
});
