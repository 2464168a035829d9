import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

function asCanceled(approval: JsonObject): JsonObject {
  const isExpired = approval.state === "APPROVAL_STATE_EXPIRED";
  return isExpired ? { ...approval, state: "APPROVAL_STATE_CANCELED" } : approval;
}

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
    says: "shows an approval that nobody decided in time as canceled",
    open: ["beta.open.transitions"],
    decoration: {
      reply(json) {
        const { approval, approvals } = json;
        if (isObject(approval)) return { ...json, approval: asCanceled(approval) };
        return Array.isArray(approvals) ? { ...json, approvals: approvals.filter(isObject).map(asCanceled) } : json;
      },
    },
  }),
];
