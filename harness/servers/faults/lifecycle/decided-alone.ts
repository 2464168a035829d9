import { type Approval, ApprovalState, type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { pendingApproval } from "../../reference/beta/decisions.ts";
import type { BetaParts } from "../../reference/beta/parts.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

type Decide = BetaParts["decide"];

const deciding = (other: (decide: Decide) => Decide): BetaDecoration => ({
  parts: ({ decide }) => ({ decide: other(decide) }),
});

/** What runs may have in common. */
type Common = "sessionId" | "customerUserId" | "appId";

/** The runs that await approval beside the one that an approval is for: those of its session, of its user, or of its app, the latest at last. */
function awaitingBeside(world: BetaWorld, { runId }: Approval, by: Common): readonly Run[] {
  const own = world.tables.run.get(idText(runId));
  return [...world.lives.keys()]
    .map((id) => world.tables.run.get(id))
    .filter((run) => run.state === RunState.AWAITING_APPROVAL && idText(run[by]) === idText(own[by]))
    .filter((run) => idText(run.runId) !== idText(runId));
}

/** Decides whatever awaits a decision there together with the approval that is named. */
const decidingAll = (by: Common, only?: ApprovalState) =>
  deciding((decide) => (world, approval, state) => {
    const others = only === undefined || state === only ? awaitingBeside(world, approval, by) : [];
    for (const run of others) {
      const pending = pendingApproval(world, run);
      if (pending !== undefined) decide(world, pending, state);
    }
    return decide(world, approval, state);
  });

/** Decides, with the approval that is named, the latest one of another user. */
const decidingLatest = (only: ApprovalState) =>
  deciding((decide) => (world, approval, state) => {
    const isOthers = ({ customerUserId }: Run) => idText(customerUserId) !== idText(approval.customerUserId);
    const latest = state === only ? awaitingBeside(world, approval, "appId").filter(isOthers).at(-1) : undefined;
    const pending = latest && pendingApproval(world, latest);
    if (pending !== undefined) decide(world, pending, state);
    return decide(world, approval, state);
  });

/** Notes a decision, and does not tell the run that waits for it. */
const untold = (isUntold: (state: ApprovalState) => boolean) =>
  deciding((decide) => (world, approval, state) => {
    if (!isUntold(state)) return decide(world, approval, state);
    return world.tables.approval.change(idText(approval.approvalId), { state });
  });

/** Tells another run of the session that awaits approval of a decision, where there is one. */
const tellingAnother = deciding((decide) => (world, approval, state) => {
  const other = awaitingBeside(world, approval, "sessionId").at(-1);
  const theirs = other && pendingApproval(world, other);
  if (theirs === undefined) return decide(world, approval, state);
  decide(world, theirs, state);
  return world.tables.approval.change(idText(approval.approvalId), { state });
});

export const decidedAlone: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.approvals.decision": {
    "DecideApproval-decides-all-of-its-session": [
      "decides all pending approvals of the session",
      decidingAll("sessionId"),
    ],
    "DecideApproval-decides-all-of-its-user": [
      "decides all pending approvals of the user",
      decidingAll("customerUserId"),
    ],
    "DecideApproval-rejects-all-of-its-session": [
      "rejects all pending approvals of the session with one",
      decidingAll("sessionId", ApprovalState.REJECTED),
    ],
  },
  "*.isolation.user-mutate": {
    "DecideApproval-approves-the-latest-of-another-user": [
      "approves the latest pending approval of another user, too",
      decidingLatest(ApprovalState.APPROVED),
    ],
    "DecideApproval-rejects-the-latest-of-another-user": [
      "rejects the latest pending approval of another user, too",
      decidingLatest(ApprovalState.REJECTED),
    ],
  },
  "*.approvals.awaited": {
    "DecideApproval-tells-its-run-nothing": [
      "notes the decision, and leaves the run waiting for it",
      untold(() => true),
    ],
    "DecideApproval-tells-its-run-no-rejection": [
      "notes a rejection, and leaves the run waiting for a decision",
      untold((state) => state === ApprovalState.REJECTED),
    ],
    "DecideApproval-tells-another-run-of-its-session": [
      "tells another run of the session that awaits approval of the decision",
      tellingAnother,
      { also: ["*.approvals.decision"] },
    ],
  },
});
