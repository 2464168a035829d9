import { defineRule } from "../../harness/case/case.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { judgeInOtherStates } from "../common/other-states.ts";

export const otherStates = defineRule({
  id: "isolation/records-in-other-states-are-not-changed-from-elsewhere",
  says: "in every state that permits it a mutation of another workspace's record is refused and changes nothing",
  clauses: ["*.isolation.mutate"],
  // What is named by its user alone is the caller's own wherever the user is.
  rows: (row) =>
    !isReadOnly(row) && otherStatesOf(row).length > 0 && row.ids.some(({ facts }) => facts.names === row.subject),
  async run(context) {
    const { row, setup, call } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    await judgeInOtherStates(context, async (subject, state) => {
      const elsewhere = { ...(await setup.request(row, subject)), ...tenant };
      const reply = await call(row, elsewhere, { baseUrl: setup.baseUrl(row, subject), as: key });
      return [{ reply, because: `it names a ${state} ${subject.kind} of another workspace` }];
    });
  },
});
