import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isChangeable } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { listsPrivate } from "./workspaces.ts";

/** Makes a record of the row's kind, and has it changed, or given another secret. */
async function changed({ row, setup }: CaseContext): Promise<Subject> {
  const subject = await setup.change(await setup.fresh(row.subject));
  if (subject === undefined) throw new Unproven(`needs a ${row.subject} that is changed`);
  return subject;
}

const names = (row: RpcRow, kind: string) => row.ids.some(({ facts }) => facts.names === kind);

/** Lists what is of the whole tenant: what is of a user is listed by the user, whom nobody else has. */
const listsWhole = (row: RpcRow) => listsPrivate(row) && !names(row, "customer_user");

/** Rows that show one record, or list records, of a kind that is changed once it is made, and that has an id of its own. */
const showsChangeable = (row: RpcRow) =>
  isChangeable(row) && (listsWhole(row) || (row.effect === Effect.READ && names(row, row.subject)));

export const changedRecords = defineRule({
  id: "isolation/changed-records-are-not-shown-elsewhere",
  says: "a record that was changed once, a rotated secret or a renamed endpoint, is not shown to another workspace",
  clauses: ["*.isolation.read", "*.isolation.list"],
  rows: showsChangeable,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const subject = await changed(context);
    const options = { baseUrl: setup.baseUrl(row, subject) };
    if (row.list === undefined) {
      const elsewhere = { ...(await setup.request(row, subject)), ...tenant };
      const refused = await call(row, elsewhere, { ...options, as: key });
      judge(refused, "*.isolation.read").isRefused({ because: `it names a ${row.subject} of another workspace` });
      // The positive control: in its own workspace it is shown.
      needs(await call(row, await setup.request(row, subject), options));
      return;
    }
    const list = (fields: object, as?: typeof key) =>
      listAll(context, row, { ...fields, ...subject.within }, as === undefined ? options : { ...options, as });
    const shows = ({ records }: Awaited<ReturnType<typeof listAll>>) =>
      findRecord(records, row, subject.id) !== undefined;
    const there = await list(tenant, key);
    const [last] = there.replies.slice(-1);
    if (last === undefined) return;
    judge(last, "*.isolation.list").satisfies(
      !shows(there),
      "no record of another workspace",
      `a ${row.subject} that was changed in another`,
    );
    // A listing may lag more than is known of it.
    const own = await lookUntil(context, () => list(setup.tenant()), shows);
    if (!shows(own)) throw new Unproven(`needs ${row.name} to list what was changed`);
  },
});
