import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind, isReadOnly } from "../../proto/rpcs.ts";
import { ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { judgeInOtherStates, type Wrong } from "../common/other-states.ts";

/** A caller that is to be refused a record, and what its call names in place of whose the record is. */
interface Stranger {
  readonly whose: string;
  readonly fields: JsonObject;
  readonly as: Credential;
  readonly clause: string;
}

/** Callers for, and of, another user of the same app. */
async function ofOtherUser({ row, setup }: CaseContext): Promise<readonly Stranger[]> {
  const { fields, token } = await setup.otherUser();
  const clause = userIsolationClause(row);
  const as = await token(row);
  const whose = "another user than it names";
  const strangers: Stranger[] = [
    { whose, fields, as, clause },
    { whose: "another user than its token is for", fields: {}, as, clause },
  ];
  if (!row.credentials.includes(CredentialKind.BACKEND_KEY)) return strangers;
  return [...strangers, { whose, fields, as: await setup.credential(row), clause: "*.isolation.named-user" }];
}

/** A caller of another workspace. */
async function ofOtherTenant({ row, setup }: CaseContext): Promise<readonly Stranger[]> {
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
  return [{ whose: "another workspace", fields: tenant, as: key, clause: "*.isolation.mutate" }];
}

export const otherStates = defineRule({
  id: "isolation/records-in-other-states-are-not-changed-from-elsewhere",
  says: "in every state that permits it a mutation of another workspace's or another user's record is refused and changes nothing",
  clauses: ["*.isolation.mutate", "*.isolation.user-mutate", "*.isolation.named-user"],
  // What is named by its user alone is the caller's own wherever the user is.
  rows: (row) =>
    !isReadOnly(row) && otherStatesOf(row).length > 0 && row.ids.some(({ facts }) => facts.names === row.subject),
  async run(context) {
    const { row, setup, call } = context;
    const strangers: Stranger[] = [];
    let missing: NotExercised | undefined;
    for (const find of ofOneUser(row) ? [ofOtherTenant, ofOtherUser] : [ofOtherTenant]) {
      try {
        strangers.push(...(await find(context)));
      } catch (error) {
        if (!(error instanceof NotExercised)) throw error;
        missing = error;
      }
    }
    if (missing !== undefined && strangers.length === 0) throw missing;
    await judgeInOtherStates(context, async (subject, state) => {
      const valid = await setup.request(row, subject);
      const baseUrl = setup.baseUrl(row, subject);
      const wrong: Wrong[] = [];
      // One after the other, from afar: whoever is served first leaves nothing at its version to those who come after.
      for (const { whose, fields, as, clause } of strangers) {
        const request = { ...valid, ...freshRequestId(row, setup), ...fields };
        const reply = await call(row, request, { baseUrl, as });
        wrong.push({ reply, because: `it names a ${state} ${subject.kind} of ${whose}`, clause });
      }
      return wrong;
    });
    if (missing !== undefined) throw missing;
  },
});
