import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { userIsolationClause } from "../common/isolation-clause.ts";
import { isSilent } from "../common/silent.ts";
import { createLink, furtherRecords, requestForRecord } from "../lifecycle/records/further-records.ts";

const getApproval = "beta.v1.ApprovalService/GetApproval";
const getSecret = "beta.v1.CustomerSecretService/GetSecret";
const getSession = "beta.v1.SessionService/GetSession";
const getJob = "beta.v1.PlatformService/GetJob";

const artifactReadings = ["beta.v1.PlatformService/GetArtifact", "beta.v1.PlatformService/DownloadArtifact"];

/** RPCs that show, or give a link to, one run, job, artifact, approval, secret or session of a user. A stream of text alone need say nothing of such runs. */
const shows = (row: RpcRow) =>
  [getApproval, getSecret, getSession, getJob, createLink, ...artifactReadings].includes(row.name) ||
  (row.subject === "run" && !row.partialHistory && (row.effect === Effect.READ || row.effect === Effect.WATCH));

/** Whether it is open that a record is shown to its own user: a state may permit no operation, and what a session is gone with, too. */
const mayBeHidden = (what: string, shown: Reply) =>
  mayBeRefusedForState(shown) || (/session/.test(what) && shown.outcome === "refused");

export const laterUserRecords = defineRule({
  id: "isolation/records-of-another-user-are-refused-in-other-states",
  says: "an approval that was decided, a secret that was rotated, a session that has runs or was deleted, a run that failed, was canceled, awaits approval, goes on or has lost its session, its job and its artifacts are not shown, or linked to, for another user",
  clauses: ["*.isolation.user-read", "*.isolation.user-stream", "*.isolation.user-mutate", "*.isolation.named-user"],
  rows: shows,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const other = await setup.otherUser();
    const as = await other.token(row);
    let asked = false;
    for (const [what, record] of await furtherRecords(context)) {
      // The positive control: to its own user it is shown.
      const shown = await call(row, await requestForRecord(context, record), untilServed(row));
      if (mayBeHidden(what, shown)) continue;
      // Nor when a stream shows what goes on: one that a proxy holds back shows it once it ends.
      if (isSilent(shown)) continue;
      needs(shown);
      asked = true;
      const elsewhere = { ...(await requestForRecord(context, record)), ...other.fields };
      const because = `its ${row.name === createLink ? "runId" : subjectFieldOf(row)} names ${what}, of another user`;
      const refused = await call(row, elsewhere, { ...untilServed(row), as });
      judge(refused, userIsolationClause(row), [shown]).isRefused({ because });
      const named = await call(row, await requestForRecord(context, record), { ...untilServed(row), as });
      judge(named, userIsolationClause(row), [shown]).isRefused({
        because: `${because}, and so does its customerUserId`,
      });
      if (!row.credentials.includes(CredentialKind.BACKEND_KEY)) continue;
      const byKey = await call(row, { ...elsewhere, ...freshRequestId(row, setup) }, untilServed(row));
      judge(byKey, "*.isolation.named-user", [shown]).isRefused({ because });
    }
    if (!asked) throw new ChosenOtherwise(`${row.method} is refused in every other state of its ${row.subject}`);
  },
});
