import { defineRule } from "../../harness/case/case.ts";
import { passEndedUnwatched } from "../../harness/setup/ended-watches.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { deleteRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";

/** RPCs that show one record of a workspace, of a kind that can be deleted. */
const showsDeletable = (row: RpcRow) =>
  (row.effect === Effect.READ || row.effect === Effect.WATCH) &&
  !row.published &&
  subjectFieldOf(row) !== undefined &&
  deleteRowOf(row.subject, row.package, row.peers) !== undefined;

export const deletedRecords = defineRule({
  id: "isolation/deleted-records-of-another-workspace-are-refused",
  says: "a record that was deleted in one workspace is not read or watched from another",
  clauses: ["*.isolation.read", "*.isolation.stream"],
  rows: showsDeletable,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const deletes = setup.deleteOf(row.subject);
    const subject = await setup.subjectOf(deletes);
    if (subject === undefined) throw new Error(`${deletes.name} has no subject`);
    const options = { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) };
    // The positive control: in its own workspace it is shown, until it is deleted.
    const shown = await call(row, await setup.request(row, subject), options);
    await passEndedUnwatched(context, shown);
    needs(shown);
    const current = (await setup.current(subject)) ?? subject;
    needs(await call(deletes, await setup.request(deletes, current), { baseUrl: setup.baseUrl(deletes, current) }));
    const elsewhere = { ...(await setup.request(row, subject)), ...tenant };
    const refused = await call(row, elsewhere, { ...options, as: key });
    judge(refused, row.effect === Effect.WATCH ? "*.isolation.stream" : "*.isolation.read", [shown]).isRefused({
      because: `its ${subjectFieldOf(row)} names a ${row.subject} that was deleted in another workspace`,
    });
  },
});
