import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { type Approval, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const { EXPIRED, PENDING } = ApprovalState;

const asPending = (approval: Approval): Approval =>
  approval.state === EXPIRED ? { ...approval, state: PENDING } : approval;

/** Approvals that have expired are still listed as they were, also where the pending ones are asked for. */
const expiredAsPending: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => async (context, request) => {
    const reply = await next(context, request);
    const isFirst = (request.page?.cursor ?? "") === "";
    const expired =
      request.state === PENDING && isFirst ? (await next(context, { ...request, state: EXPIRED })).approvals : [];
    return {
      ...reply,
      approvals: [...(reply.approvals ?? []), ...(expired ?? [])].map((one) => asPending(one as Approval)),
    };
  }),
};

export const expiredListing: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "ListApprovals-expired-as-pending": [
      "lists approvals that have expired as pending ones",
      expiredAsPending,
      { entails: ["*.filters.hold"] },
    ],
  },
});
