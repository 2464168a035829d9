import { defineRule } from "../../../harness/case/case.ts";
import { idIn } from "../../../harness/setup/subject.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { deleteRowOf, distinguishingFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";

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

export const namesAgain = defineRule({
  id: "lifecycle/names-used-again-are-observed",
  says: "whether a name, url or external user id may be used twice, and again after a deletion, is recorded",
  clauses: ["*.open.field-constraints"],
  rows: named,
  async run({ row, setup, call, needs, observe }) {
    const mark = distinguishingFieldOf(row) ?? "";
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    // A new requestId: a call of its own.
    const fresh = async () => ({ ...(await setup.request(row, undefined)), [mark]: request[mark] ?? "" });
    const again = await call(row, await fresh());
    observe("*.open.field-constraints", `a second ${row.subject} of the same ${mark} is ${seen(again, first)}`);
    const remove = setup.deleteOf(row.subject);
    const made = [first, again].filter((reply, index) => index === 0 || seen(reply, first).startsWith("served"));
    for (const reply of made) needs(await call(remove, await setup.request(remove, setup.subjectIn(reply))));
    const later = await call(row, await fresh());
    observe("*.open.field-constraints", `the ${mark} of a deleted ${row.subject} is ${seen(later, first)}`);
  },
});
