import { defineRule } from "../../../harness/case/case.ts";
import { freshRequestId } from "../../../harness/setup/request-id.ts";
import { idIn } from "../../../harness/setup/subject.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { deleteRowOf, distinguishingFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";
import { deleteNew } from "../../common/refused-states.ts";

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

export const namesAgain = defineRule({
  id: "lifecycle/names-used-again-are-observed",
  says: "whether a name, url or external user id may be used twice, and again after a deletion, is recorded",
  clauses: ["*.open.field-constraints"],
  rows: named,
  async run(context) {
    const { row, setup, call, needs, observe } = context;
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
    const later = await call(row, repeated());
    observe("*.open.field-constraints", `the ${mark} of a deleted ${row.subject} is ${seen(later, first)}`);
  },
});
