import { defineRule } from "../../harness/case/case.ts";
import { factsOf, type RpcRow } from "../../proto/rpcs.ts";
import { judgeHidden } from "./stored-secrets.ts";

/** RPCs that give a secret that there is another value. */
const changesValue = (row: RpcRow) =>
  row.expectedVersion !== undefined && row.input.fields.some((field) => factsOf(field).writeOnlySecret);

export const ofDeleted = defineRule({
  id: "secrecy/value-for-a-deleted-secret-stays-hidden",
  says: "no reply to a call that gives a deleted secret another value contains that value, in any encoding",
  clauses: ["*.secrets.write-only"],
  rows: changesValue,
  async run(context) {
    const { row, setup, call, needs } = context;
    const made = await setup.fresh(row.subject);
    // The positive control: until it is deleted it takes values, and the value is read as one.
    needs(await call(row, await setup.request(row, made)));
    const live = (await setup.current(made)) ?? made;
    const deletes = setup.deleteOf(row.subject);
    needs(await call(deletes, await setup.request(deletes, live)));
    // Where it is shown no more, its last version is the one to name.
    const last = (await setup.current(live)) ?? live;
    for (const subject of last.version === live.version ? [live] : [live, last]) {
      const reply = await call(row, await setup.request(row, subject), {
        exempt: ["secrecy/no-reply-contains-a-secret"],
      });
      judgeHidden(context, reply);
    }
  },
});
