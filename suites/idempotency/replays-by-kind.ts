import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { CredentialKind, RpcRow } from "../../proto/rpcs.ts";
import { changing, judgeOneEffect, judgeReplayedMutation } from "./replay.ts";
import { creating } from "./rows.ts";

/** The kinds of credential that a row takes beside the one it is called with where nothing else is said. */
const otherKinds = ({ credentials }: RpcRow) => credentials.slice(1);

/** Judges that a creating call and its replays by a kind of credential create one resource. */
async function judgeReplayedCreation(context: CaseContext, kind: CredentialKind): Promise<void> {
  const { row, setup, needs } = context;
  const as = await setup.credentialOfKind(kind, row);
  const request = { ...(await setup.request(row, undefined)), ...freshRequestId(row, setup) };
  const call = () => context.call(row, request, { as });
  const first = await call();
  needs(first);
  await judgeOneEffect(context, request, [first, await call(), await call()]);
}

export const byEachKind = defineRule({
  id: "idempotency/replay-by-each-credential-kind-has-one-effect",
  says: "replays of a call have no second effect, whichever kind of credential makes it and them",
  clauses: ["*.idempotency.one-effect", "*.versioning.expected"],
  rows: (row) => otherKinds(row).length > 0 && (creating(row) || changing(row)),
  async run(context) {
    let missing: unknown;
    let judged = 0;
    for (const kind of otherKinds(context.row)) {
      try {
        await (creating(context.row) ? judgeReplayedCreation : judgeReplayedMutation)(context, kind);
        judged += 1;
      } catch (error) {
        if (!(error instanceof NotExercised)) throw error;
        missing = error;
      }
    }
    if (judged === 0) throw missing;
  },
});
