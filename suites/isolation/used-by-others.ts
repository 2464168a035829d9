import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { userIsolationClause } from "../common/isolation-clause.ts";
import { isSilent } from "../common/silent.ts";
import { type Further, furtherRecords } from "../lifecycle/records/further-records.ts";

/** RPCs that start something in a session that is named. */
const inSessions = ["beta.v1.RunService/CreateRun", "beta.v1.SessionService/CreateVoiceConnectionTicket"];

/** Records in states that other cases do not ask the row about, by what is said of them. */
async function recordsFor(context: CaseContext): Promise<readonly Further[]> {
  const { row, setup } = context;
  if (inSessions.includes(row.name)) return [["a session that has runs", await setup.fresh("session:used")]];
  // Text may be held back until a decision.
  return (await furtherRecords(context)).filter(([what]) => !/awaits/.test(what));
}

/** The row's request for a record of its own user. */
async function requestFor({ row, setup }: CaseContext, { kind, id, record }: Subject): Promise<JsonObject> {
  const valid = await setup.request(row, undefined);
  const { customerUserId = null, appVersionId = null } = record;
  const version: JsonObject = "appVersionId" in valid ? { appVersionId } : {};
  const named = { [kind === "run" ? "runId" : "sessionId"]: id };
  return { ...valid, ...freshRequestId(row, setup), customerUserId, ...version, ...named };
}

/** Whether a reply to the record's own user shows nothing: text need not be kept of runs that are over, nor be put out yet. */
const showsNothing = ({ partialHistory }: RpcRow, shown: Reply) =>
  isSilent(shown) || (partialHistory && shown.outcome === "served" && shown.messages.length === 0);

export const usedByOthers = defineRule({
  id: "isolation/text-and-sessions-of-another-user-are-refused-in-other-states",
  says: "the text of a run that failed, was canceled, goes on or has lost its session is not shown to another user, and a session that has runs is not used for one",
  clauses: ["*.isolation.user-stream", "*.isolation.user-mutate", "*.isolation.named-user"],
  rows: (row) => inSessions.includes(row.name) || row.partialHistory,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const other = await setup.otherUser();
    const as = await other.token(row);
    const clause = userIsolationClause(row);
    let asked = false;
    for (const [what, record] of await recordsFor(context)) {
      // The positive control: its own user is served.
      const shown = await call(row, await requestFor(context, record), untilServed(row));
      const isGone = /session was deleted/.test(what) && shown.outcome === "refused";
      if (isGone || mayBeRefusedForState(shown) || showsNothing(row, shown)) continue;
      needs(shown);
      asked = true;
      const because = `it names ${what}, of another user`;
      const elsewhere = { ...(await requestFor(context, record)), ...other.fields };
      const refused = await call(row, elsewhere, { ...untilServed(row), as });
      judge(refused, clause, [shown]).isRefused({ because });
      const named = await call(row, await requestFor(context, record), { ...untilServed(row), as });
      judge(named, clause, [shown]).isRefused({ because: `${because}, and so does its customerUserId` });
      if (!row.credentials.includes(CredentialKind.BACKEND_KEY)) continue;
      const byKey = await call(row, { ...elsewhere, ...freshRequestId(row, setup) }, untilServed(row));
      judge(byKey, "*.isolation.named-user", [shown]).isRefused({ because });
    }
    if (!asked) throw new ChosenOtherwise(`${row.method} says nothing of runs or sessions in other states`);
  },
});
