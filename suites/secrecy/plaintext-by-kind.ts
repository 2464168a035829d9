import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { issuing, judgeFirst, judgeOnce } from "./plaintext.ts";

/** The kinds of credential that an issuing row takes beside the one it is called with where nothing else is said. */
const otherKinds = ({ credentials }: RpcRow) => credentials.slice(1);

/** Has a credential of a kind make a call and replay it: it is told the plaintext once, as the others are. */
async function judgeKind(context: CaseContext, kind: CredentialKind): Promise<void> {
  const { row, setup, call } = context;
  const subject = await setup.subjectOf(row);
  const as = await setup.credentialOfKind(kind, row, subject);
  const request = { ...(await setup.request(row, subject)), ...freshRequestId(row, setup) };
  const first = await call(row, request, { as });
  judgeFirst(context, first, `, to a credential of kind ${CredentialKind[kind]} too`);
  judgeOnce(context, [first, await call(row, request, { as }), await call(row, request, { as })]);
}

export const toEachKind = defineRule({
  id: "secrecy/each-kind-of-credential-gets-the-plaintext-once",
  says: "the first success returns the credential, and no replay does, to every kind of credential that the RPC accepts",
  clauses: ["*.credentials.once", "*.credentials.first"],
  rows: (row) => issuing(row) && otherKinds(row).length > 0,
  async run(context) {
    let missing: unknown;
    let judged = 0;
    for (const kind of otherKinds(context.row)) {
      try {
        await judgeKind(context, kind);
        judged += 1;
      } catch (error) {
        if (!(error instanceof NotExercised)) throw error;
        missing = error;
      }
    }
    if (judged === 0) throw missing;
  },
});
