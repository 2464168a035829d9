import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalDecision, ApprovalSchema, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { subjectOf } from "../core/implement.ts";
import { refuse } from "../core/refusal.ts";
import { hasCome } from "../core/times.ts";
import { expire } from "./decisions.ts";
import { pageOfTable } from "./listing.ts";
import { implement } from "./messages.ts";

export const approvalHandlers = implement(ApprovalService, {
  decideApproval(context, { decision }) {
    const { world } = context;
    const approval = subjectOf(context, ApprovalSchema);
    const wanted = decision === ApprovalDecision.APPROVE ? ApprovalState.APPROVED : ApprovalState.REJECTED;
    if (approval.state === wanted && world.choices.decidedAgain === "unchanged") return { approval };
    const isPending = approval.state === ApprovalState.PENDING;
    if (hasCome(approval.expiresAt, world.clock.now())) {
      if (isPending) expire(world, approval);
      const isExpired = isPending || approval.state === world.choices.undecidedApproval;
      if (isExpired) refuse("APPROVAL_EXPIRED", "the approval was not decided in time");
    }
    if (approval.state === ApprovalState.CANCELED) refuse("FAILED_PRECONDITION", "the approval was withdrawn");
    if (!isPending) refuse("FAILED_PRECONDITION", "the approval is decided already");
    return { approval: world.parts.decide(world, approval, wanted) };
  },

  getApproval: (context) => ({ approval: subjectOf(context, ApprovalSchema) }),

  listApprovals(context, { state, page: requested }) {
    const { records, page } = pageOfTable(context, requested, context.world.tables.approval, {
      fits: (approval) => state === ApprovalState.UNSPECIFIED || approval.state === state,
      filter: String(state),
    });
    return { approvals: records, page };
  },
});
