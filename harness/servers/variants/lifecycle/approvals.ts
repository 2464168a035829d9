import { ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
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
    id: "undecided-approvals-are-canceled",
    says: "cancels an approval that nobody decided in time",
    open: ["beta.open.transitions"],
    decoration: { choices: { undecidedApproval: ApprovalState.CANCELED } },
  }),
];
