import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { sameJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");

const isAwaiting = (reply: Reply) => textAt(recordIn(reply), "state") === "RUN_STATE_AWAITING_APPROVAL";

/** Judges that a run whose approval was decided awaits approval no longer, unless it has another one that is pending. */
export async function judgeHeard(context: CaseContext, run: Subject, decided: Reply): Promise<void> {
  const { setup, judge } = context;
  const request = {
    ...(await setup.request(listApprovals, undefined)),
    ...run.within,
    state: "APPROVAL_STATE_PENDING",
  };
  const look = async () => {
    const read = await setup.read(run);
    if (!isAwaiting(read)) return { read, waitsInVain: false };
    const { records, ended } = await listAll(context, listApprovals, request);
    return { read, waitsInVain: ended && !records.some((one) => sameJson(one.runId, run.id)) };
  };
  const { read, waitsInVain } = await lookUntil(context, look, (seen) => !seen.waitsInVain);
  judge(decided, "*.approvals.awaited", [read]).satisfies(
    !waitsInVain,
    "a run that goes on or ends, or another approval that is pending",
    "it awaits approval, and none of its approvals is pending",
  );
}
