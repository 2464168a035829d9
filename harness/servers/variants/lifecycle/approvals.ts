import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { forRpc, nameOf } from "../../reference/core/decoration.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How often a call is approved, and what becomes of an approval that nobody decides. */
export const approvalVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "tool-calls-approved-twice",
    says: "asks for a second approval of a tool call once the first is given",
    open: ["beta.open.apps", "beta.open.transitions"],
    decoration: { choices: { approvalsPerCall: 2 } },
  }),
  defineBetaVariant({
    id: "rejections-cancel-the-run",
    says: "cancels a run whose tool call is rejected",
    open: ["beta.open.transitions"],
    decoration: { choices: { rejectedApproval: "cancel" } },
  }),
  defineBetaVariant({
    id: "no-decision-rejects",
    says: "takes what is not approved, or is decided in a way it does not know, for rejected",
    open: ["beta.open.field-constraints"],
    decoration: {
      request: forRpc(nameOf(ApprovalService.method.decideApproval), (json) => {
        const { decision } = json;
        const isNone = decision === undefined || decision === "APPROVAL_DECISION_UNSPECIFIED";
        const isUnknown = typeof decision === "number" && Number.isInteger(decision) && decision > 2;
        return isNone || isUnknown ? { ...json, decision: "APPROVAL_DECISION_REJECT" } : json;
      }),
    },
  }),
  defineBetaVariant({
    id: "undecided-approvals-are-canceled",
    says: "cancels an approval that nobody decided in time",
    open: ["beta.open.transitions"],
    decoration: { choices: { undecidedApproval: ApprovalState.CANCELED } },
  }),
  defineBetaVariant({
    id: "approvals-listed-while-pending",
    says: "lists the approvals that wait for a decision, and others only to whoever asks for their state",
    open: ["beta.open.field-constraints"],
    decoration: {
      handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => (context, request) => {
        const state = request.state === ApprovalState.UNSPECIFIED ? ApprovalState.PENDING : request.state;
        return next(context, { ...request, state });
      }),
    },
  }),
];
