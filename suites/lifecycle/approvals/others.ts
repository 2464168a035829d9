import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { findRecord } from "../../../harness/setup/listing.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { listAt, showJson } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const getApproval = rpc("beta.v1.ApprovalService/GetApproval");
const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

/** Judges that an approval which is over is neither shown to another user, nor decided by one, where the target file names one. */
export async function judgeRefusedToOthers(
  { setup, call, judge }: CaseContext,
  approval: Subject,
  state: string,
  because: Reply,
): Promise<void> {
  const other = await orUndefined(setup.otherUser());
  if (other === undefined) return;
  // At the version that it has now: it is not to be refused for that.
  const current = { ...approval, version: versionOf(recordIn(because)) };
  for (const [row, clause] of [
    [getApproval, "*.isolation.user-read"],
    [decideApproval, "*.isolation.user-mutate"],
  ] as const) {
    const request = { ...(await setup.request(row, current)), ...other.fields };
    const reply = await call(row, request, { as: await other.token(row) });
    judge(reply, clause, [because]).isRefused({ because: `its approvalId names one of another user, ${state}` });
  }
}

/** Judges that a listing by the state which an approval came to does not show it to another user. */
export async function judgeHiddenFromOthers(
  { setup, call, judge }: CaseContext,
  approval: Subject,
  state: string,
  because: Reply,
): Promise<void> {
  const other = await setup.otherUser();
  const request = { ...(await setup.request(listApprovals, undefined)), ...other.fields, state };
  const reply = await call(listApprovals, request, { as: await other.token(listApprovals) });
  if (reply.outcome !== "served") return;
  const shown = findRecord(listAt(reply.json, "approvals").filter(isObject), listApprovals, approval.id);
  judge(reply, "*.isolation.user-list", [because]).satisfies(
    shown === undefined,
    "no approval of another user",
    showJson(shown ?? null),
    "approvals[]",
  );
}
