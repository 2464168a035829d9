import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { judgeInOtherStates } from "../common/other-states.ts";
import { strangersTo } from "./strangers.ts";

export const otherStates = defineRule({
  id: "isolation/records-in-other-states-are-not-changed-from-elsewhere",
  says: "in every state that permits it a mutation of another workspace's or another user's record is refused and changes nothing",
  clauses: ["*.isolation.mutate", "*.isolation.user-mutate", "*.isolation.named-user"],
  // What is named by its user alone is the caller's own wherever the user is.
  rows: (row) =>
    !isReadOnly(row) && otherStatesOf(row).length > 0 && row.ids.some(({ facts }) => facts.names === row.subject),
  async run(context) {
    const { row, setup, call } = context;
    const { strangers, missing } = await strangersTo(context);
    await judgeInOtherStates(context, async (subject, state) => {
      const valid = await setup.request(row, subject);
      const baseUrl = setup.baseUrl(row, subject);
      return strangers.map(({ whose, fields, as, clause }) => ({
        send: () => call(row, { ...valid, ...freshRequestId(row, setup), ...fields }, { baseUrl, as }),
        because: `it names a ${state} ${subject.kind} of ${whose}`,
        clause,
      }));
    });
    if (missing !== undefined) throw missing;
  },
});
