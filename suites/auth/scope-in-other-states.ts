import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { judgeInOtherStates } from "../common/other-states.ts";

export const otherStates = defineRule({
  id: "auth/scope-is-enforced-in-other-states",
  says: "in every state that permits it a mutation by a key without the RPC's scope is refused and changes nothing",
  clauses: ["*.auth.scope"],
  rows: (row) => !isReadOnly(row) && row.scope !== "" && otherStatesOf(row).length > 0,
  async run(context) {
    const { row, setup, call } = context;
    const as = await setup.keyWithoutScope(row);
    await judgeInOtherStates(context, async (subject, state) => {
      const request = { ...(await setup.request(row, subject)), ...freshRequestId(row, setup) };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject), as });
      return [{ reply, because: `its key lacks ${row.scope}, whatever becomes of a ${state} ${subject.kind}` }];
    });
  },
});
