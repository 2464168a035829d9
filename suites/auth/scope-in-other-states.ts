import { defineRule } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { callersWithout } from "../common/callers-without.ts";
import { judgeInOtherStates } from "../common/other-states.ts";

export const otherStates = defineRule({
  id: "auth/scope-is-enforced-in-other-states",
  says: "in every state that permits it a mutation by a credential without the RPC's scope, of another kind or without the permission is refused and changes nothing",
  clauses: ["*.auth.scope", "*.auth.kinds", "*.auth.idp-user"],
  rows: (row) => !isReadOnly(row) && row.scope !== "" && otherStatesOf(row).length > 0,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call } = context;
    // Where the target file has no such key, that is said.
    await setup.keyWithoutScope(row);
    // Issuing a token may move its user, which each use does where one works at a time.
    const mayHaveTokens = row.subject !== "customer_user" || (await tokensLiveTogether(context));
    const callersFor = (subject: Subject) => callersWithout(context, mayHaveTokens ? subject : undefined);
    const plan = async (subject: Subject, state: string) =>
      (await callersFor(subject)).map(({ because, as, clause }) => ({
        send: async () => {
          const request = { ...(await setup.request(row, subject)), ...freshRequestId(row, setup) };
          return call(row, request, { baseUrl: setup.baseUrl(row, subject), as });
        },
        because: `${because}, whatever becomes of a ${state} ${subject.kind}`,
        clause,
      }));
    await judgeInOtherStates(context, plan, callersFor);
  },
});
